#!/bin/sh
# What the emulated controller needs, in a folder of its own: MicroPython's image for the RP2040, built from Debian's sources
# (no image is in any package registry), and the emulator rp2040js. About two minutes, once.
# usage: rp2040.sh FOLDER
set -eu
folder=$1
here=$(dirname "$0")
version=1.4.1 # of rp2040js; tests/emulated/core.mjs knows its source
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
command -v npm > /dev/null || "$here/system.sh" npm
npm install --prefix "$folder" --no-audit --no-fund --silent "rp2040js@$version"
[ -s "$folder/micropython.bin" ] && [ -s "$folder/delay" ] && exit 0
command -v apt-get > /dev/null || { echo "rp2040.sh: needs apt-get (Debian or Ubuntu)" >&2; exit 1; }
"$here/system.sh" cmake dpkg-dev g++ gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib make python3
work=$folder/work
log=$folder/log
rm -rf "$work" && mkdir -p "$work"
trap 'status=$?; [ $status = 0 ] || tail -n 20 "$log" >&2; rm -rf "$work"; exit $status' EXIT
build() {
    apt=$work/apt
    mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial"
    : > "$apt/status"
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m1 '/debian/\?$' || echo "${DEBIAN_MIRROR:-}")
    [ -n "$mirror" ] || { echo 'rp2040.sh: no Debian mirror among this machine'"'"'s sources; set DEBIAN_MIRROR to one' >&2; return 1; }
    for kind in deb deb-src; do echo "$kind $mirror trixie main"; done > "$apt/sources.list"
    get="apt-get -q -o Dir::Etc::SourceList=$apt/sources.list -o Dir::Etc::SourceParts=- -o Dir::State=$apt/state
        -o Dir::Cache=$apt/cache -o Dir::State::status=$apt/status -o APT::Sandbox::User= -o Debug::NoLocking=1"
    $get update
    cd "$work"
    $get source --download-only micropython mbedtls
    $get download pico-sdk-source tinyusb-source
    for package in *.deb; do dpkg-deb -x "$package" packages; done
    mkdir micropython mbedtls
    tar xf micropython_*.orig.tar.* -C micropython --strip-components=1
    tar xf mbedtls_*.orig.tar.* -C mbedtls --strip-components=1
    cd micropython
    for part in pico-sdk tinyusb; do rm -rf "lib/$part" && cp -r "../packages/usr/src/$part" "lib/$part"; done
    rm -rf lib/mbedtls && cp -r ../mbedtls lib/mbedtls
    mkdir -p lib/micropython-lib
    touch lib/pico-sdk/README.md lib/micropython-lib/README.md
    printf 'freeze("$(PORT_DIR)/modules")\ninclude("$(MPY_DIR)/extmod/asyncio")\n' > ../manifest.py
    make -s -j2 -C mpy-cross
    cd ports/rp2
    cmake -S . -B build -DMICROPY_BOARD=RPI_PICO -DMICROPY_BOARD_DIR="$PWD/boards/RPI_PICO" \
        -DMICROPY_FROZEN_MANIFEST="$work/manifest.py" -DPICO_NO_PICOTOOL=1
    make -s -j2 -C build
    # Where a short delay begins: the emulator moves its clock there instead of counting.
    arm-none-eabi-nm build/firmware.elf | grep ' T mp_hal_delay_us$' | cut -d' ' -f1 > "$folder/delay"
    cp build/firmware.bin "$folder/micropython.bin"
}
echo "building MicroPython for the emulated controller"
(build) > "$log" 2>&1
