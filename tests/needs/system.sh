#!/bin/sh
# The system packages that tests and drawings need, installed with root or sudo; without either, one clear list.
# usage: system.sh PACKAGE...
set -eu
missing=
for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -z "$missing" ] && exit 0
if [ "$(id -u)" = 0 ]; then as_root=; elif sudo -n true 2>/dev/null; then as_root="sudo -n"; else
    echo "These system packages are missing and neither root nor sudo is at hand:$missing" >&2
    echo "Ask for: apt-get install$missing" >&2
    exit 1
fi
echo "installing:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
{ $as_root apt-get update -q && $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing; } > "$log" 2>&1 \
    || { tail -n 20 "$log" >&2; exit 1; }
