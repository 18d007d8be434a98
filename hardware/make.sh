#!/bin/sh
# Remakes every output of the hardware into hardware/build and every drawing into hardware/drawings; stops at the first fault.
# usage: make.sh BIN   (the folder with the environment's python and wireviz; `make hardware` calls it)
set -eu
cd "$(dirname "$0")/.."
bin=$(cd "$1" && pwd)
here=$(pwd)
out=hardware/build
drawings=hardware/drawings
rm -rf $out && mkdir -p $out/circuit $out/tile $drawings
step() { printf '\n== %s\n' "$1"; }

step "bills against design, power, models"
"$bin/python" -m hardware.bom
"$bin/python" -m hardware.power
"$bin/python" -m hardware.models hardware/models.md

step "electrical rules and netlists"
(cd $out/circuit && PYTHONPATH=$here "$bin/python" -m hardware.circuit.check 2> erc.txt) || { cat $out/circuit/erc.txt; exit 1; }
"$bin/python" -m hardware.circuit.draw $drawings
"$bin/python" -m hardware.circuit.placement $drawings $out/circuit

step "tile board"
"$bin/python" -m hardware.pcb.route $out/tile/tracks.json
"$bin/python" -m hardware.pcb.draw $out/tile/tracks.json $drawings/tile_board.svg
if /usr/bin/python3 -c 'import pcbnew' 2> /dev/null; then
    /usr/bin/python3 -m hardware.pcb.tile_pcb $out/tile/tracks.json $out/tile
    (cd $out/tile && "$bin/python" -m zipfile -c tile-gerbers.zip gerber/*)
else
    echo "KiCad's Python (/usr/bin/python3 with pcbnew) is not here: no Gerber files this time"
    [ -z "${CI:-}" ] || exit 1
fi

step "cables"
"$bin/python" -m hardware.harness.harness $out/harness
for drawing in $out/harness/*.yml; do
    "$bin/wireviz" -f s -o $drawings "$drawing" > /dev/null
    mv "$drawings/$(basename "$drawing" .yml).svg" "$drawings/harness_$(basename "$drawing" .yml).svg"
done

step "prints and pictures"
"$bin/python" -m hardware.frame.build $out/stl $drawings
"$bin/python" -m hardware.frame.draw $drawings

step "drawings"
for drawing in $drawings/*; do
    [ "$(wc -c < "$drawing")" -gt 2000 ] || { echo "$drawing is empty"; exit 1; }
done

step "pin map against circuit, models against the design study, documents against files"
[ -n "${CI:-}" ] || "$bin/python" -m pytest -q tests/hardware # CI runs them with all the others
echo "everything is in $out and $drawings"
