#!/bin/sh
# The real MicroPython (unix port, Debian 13's i386 package) unpacked into a folder of its own: nothing is installed
# system-wide, no root is needed, and its 32-bit words make heap figures those of the controller's chip.
# usage: micropython.sh FOLDER
set -eu
folder=$1
[ -x "$folder/micropython" ] && exit 0
command -v apt-get >/dev/null || { echo "micropython.sh: needs apt-get (Debian or Ubuntu)" >&2; exit 1; }
rm -rf "$folder" && mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
apt=$folder/apt
mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$apt/debs"
: > "$apt/status"
# The mirror this machine already uses, when it is a Debian one; else DEBIAN_MIRROR.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m1 '/debian/\?$' || echo "${DEBIAN_MIRROR:-}")
[ -n "$mirror" ] || { echo 'micropython.sh: no Debian mirror among this machine'"'"'s sources; set DEBIAN_MIRROR to one' >&2; exit 1; }
echo "deb [arch=i386] $mirror trixie main" > "$apt/sources.list"
get="apt-get -q -o Dir::Etc::SourceList=$apt/sources.list -o Dir::Etc::SourceParts=- -o Dir::State=$apt/state
    -o Dir::Cache=$apt/cache -o Dir::State::status=$apt/status -o APT::Architecture=i386 -o APT::Architectures=i386
    -o APT::Sandbox::User= -o Debug::NoLocking=1"
$get update > "$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }
(cd "$apt/debs" && $get download micropython libc6 libffi8 libmbedcrypto16 libmbedtls21 libmbedx509-7 >> "$folder/log" 2>&1) \
    || { cat "$folder/log" >&2; exit 1; }
for package in "$apt"/debs/*.deb; do dpkg-deb -x "$package" "$folder/root"; done
rm -rf "$apt"
cat > "$folder/micropython.new" <<'WRAPPER'
#!/bin/sh
# Runs the unpacked interpreter through its own loader and libraries, so the machine's libc does not matter.
here=$(dirname "$(readlink -f "$0")")/root/usr
for libraries in "$here"/lib/*-linux-gnu; do
    for loader in "$libraries"/ld-linux*.so.2; do
        exec "$loader" --library-path "$libraries" "$here/bin/micropython" "$@"
    done
done
WRAPPER
chmod +x "$folder/micropython.new"
"$folder/micropython.new" -c "import sys; print('MicroPython', sys.version, '32 bit' if sys.maxsize < 2**32 else '64 bit')"
mv "$folder/micropython.new" "$folder/micropython"
