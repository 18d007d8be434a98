#!/bin/sh
# axe-core, the accessibility checker that the browser tests load into every page. usage: axe.sh FOLDER
set -eu
version=4.10.3
mkdir -p "$1"
command -v npm > /dev/null || "$(dirname "$0")/system.sh" npm
npm install --prefix "$1" --no-audit --no-fund --silent "axe-core@$version"
