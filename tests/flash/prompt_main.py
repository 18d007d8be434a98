"""A controller without a chip: MicroPython's prompt over stdin and stdout, a folder as its flash. Runs on MicroPython.

usage: prompt_main.py FOLDER. Like a Pico it runs /main.py at every start, then offers the prompt: raw REPL (Ctrl-A),
raw paste, Ctrl-D to execute or to restart, Ctrl-B back. `machine` is the one in the folder (tests/flash/root).
"""

import os
import sys

import micropython
import vfs

BUILT_IN = list(sys.modules)
WINDOW = 256

source, sink = sys.stdin.buffer, sys.stdout.buffer


class Flash:
    """A folder as file system. (VfsPosix with a root of its own cannot rename: it mixes up its two paths.)"""

    def __init__(self, folder):
        self.folder = folder
        self.posix = vfs.VfsPosix()
        self.here = "/"

    def path(self, path):
        return self.folder + (path if path.startswith("/") else self.here + path)

    def mount(self, readonly, mkfs):
        pass

    def umount(self):
        pass

    def chdir(self, path):
        self.here = path

    def getcwd(self):
        return self.here

    def open(self, path, mode):
        return self.posix.open(self.path(path), mode)

    def ilistdir(self, path):
        return self.posix.ilistdir(self.path(path))

    def stat(self, path):
        return self.posix.stat(self.path(path))

    def mkdir(self, path):
        self.posix.mkdir(self.path(path))

    def remove(self, path):
        self.posix.remove(self.path(path))

    def rmdir(self, path):
        self.posix.rmdir(self.path(path))

    def rename(self, old, new):
        self.posix.rename(self.path(old), self.path(new))


def boot():
    """Run /main.py with everything fresh, again for as long as it resets the controller."""
    again = True
    while again:
        again = False
        for name in list(sys.modules):
            if name not in BUILT_IN:
                del sys.modules[name]
        sys.path[:] = ["", ".frozen", "/lib"]
        try:
            with open("/main.py") as file:
                text = file.read()
        except OSError:
            return
        micropython.kbd_intr(3)  # as on the chip; here Ctrl-C comes as a signal
        try:
            exec(compile(text, "main.py", "exec"), {"__name__": "__main__"})
        except SystemExit:  # machine.reset()
            again = True
        except BaseException as error:
            sys.print_exception(error)
        micropython.kbd_intr(-1)


def execute(code, names):
    try:
        exec(compile(str(code, "utf-8"), "<stdin>", "exec"), names)
        sink.write(b"\x04\x04")
    except BaseException as error:
        sink.write(b"\x04")
        sys.print_exception(error, sys.stdout)
        sink.write(b"\x04")


def paste():
    """Raw paste: the host may send WINDOW bytes for every 0x01 it was given. None when it gave up."""
    sink.write(b"R\x01" + bytes((WINDOW & 255, WINDOW >> 8)) + b"\x01")
    code = bytearray()
    while True:
        byte = source.read(1)
        if byte in (b"\x04", b"\x03", b""):
            sink.write(b"\x04")
            return code if byte == b"\x04" else None
        code.extend(byte)
        if len(code) % WINDOW == 0:
            sink.write(b"\x01")


def raw(names):
    """The raw prompt; True when the host wants a restart, False when it goes back to the friendly one."""
    code = bytearray()
    sink.write(b"raw REPL; CTRL-B to exit\r\n>")
    while True:
        byte = source.read(1)
        if byte == b"":
            sys.exit(0)
        if byte == b"\x01" and code == b"\x05A":
            code = paste()
            if code is not None:
                execute(code, names)
            sink.write(b">")
            code = bytearray()
        elif byte == b"\x01":
            sink.write(b"raw REPL; CTRL-B to exit\r\n>")
            code = bytearray()
        elif byte == b"\x02":
            return False
        elif byte == b"\x03":
            code = bytearray()
        elif byte == b"\x04" and code:
            sink.write(b"OK")
            execute(code, names)
            sink.write(b">")
            code = bytearray()
        elif byte == b"\x04":
            return True
        else:
            code.extend(byte)


def prompt():
    """The friendly prompt, of which the tools need only the way out of it."""
    names = {"__name__": "__main__"}
    sink.write(b"\r\n>>> ")
    while True:
        byte = source.read(1)
        if byte == b"":
            sys.exit(0)
        if byte == b"\x01":
            restart = raw(names)
            sink.write(b"OK\r\n" if restart else b"\r\n>>> ")
            if restart:
                return
        elif byte == b"\x04":
            return
        elif byte == b"\r":
            sink.write(b"\r\n>>> ")


vfs.umount("/")
vfs.mount(Flash(sys.argv[1]), "/")
os.chdir("/")
micropython.kbd_intr(-1)
while True:
    boot()
    prompt()
    sink.write(b"MPY: soft reboot\r\n")
