#!/bin/sh
# Remakes every output of the hardware into hardware/build, every drawing into hardware/drawings and what a builder orders into
# hardware/release; stops at the first fault.
# usage: make.sh BIN   (the folder with the environment's python and wireviz; `make hardware` calls it)
set -eu
cd "$(dirname "$0")/.."
bin=$(cd "$1" && pwd)
here=$(pwd)
out=hardware/build
drawings=hardware/drawings
rm -rf $out && mkdir -p $out/circuit $drawings
step() { printf '\n== %s\n' "$1"; }

step "bills against design, part numbers, power, models, matching"
"$bin/python" -m hardware.bom
"$bin/python" -m hardware.power
"$bin/python" -m hardware.models hardware/models.md

step "electrical rules and netlists"
(cd $out/circuit && PYTHONPATH=$here "$bin/python" -m hardware.circuit.check 2> erc.txt) || { cat $out/circuit/erc.txt; exit 1; }
"$bin/python" -m hardware.circuit.draw $drawings
"$bin/python" -m hardware.circuit.rework $drawings/module_rework.svg

step "boards: route, design rules, Gerber files, bare-board test, cut test"
for board in tile row controller; do
    "$bin/python" -m hardware.pcb.route $board
    "$bin/python" -m hardware.pcb.draw $board $drawings/board_$board.svg
    if /usr/bin/python3 -m hardware.pcb.kicad $board $out/$board; then
        "$bin/python" -m hardware.pcb.proof $board $out/$board
    elif [ -n "${CI:-}" ] || [ -e $out/$board/drc.txt ]; then
        exit 1
    fi
done

step "cables"
"$bin/python" -m hardware.harness.harness $out/harness
for drawing in $out/harness/*.yml; do
    "$bin/wireviz" -f s -o $drawings "$drawing" > /dev/null
    mv "$drawings/$(basename "$drawing" .yml).svg" "$drawings/harness_$(basename "$drawing" .yml).svg"
done

step "prints, clashes and pictures"
"$bin/python" -m hardware.frame.build $out/stl $drawings
"$bin/python" -m hardware.frame.clash $out/stl
"$bin/python" -m hardware.frame.draw $drawings

step "drawings"
for drawing in $drawings/*; do
    [ "$(wc -c < "$drawing")" -gt 2000 ] || { echo "$drawing is empty"; exit 1; }
done

step "what a builder downloads"
if [ -d $out/controller/gerber ]; then
    "$bin/python" -m hardware.release $out
else
    echo "no Gerber files were made: hardware/release stays as it is"
fi

step "pin map against circuit, models against the design study, documents against files"
[ -n "${CI:-}" ] || "$bin/python" -m pytest -q tests/hardware # CI runs them with all the others
echo "everything is in $out, $drawings and hardware/release"
