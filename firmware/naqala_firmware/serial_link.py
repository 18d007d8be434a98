"""The link over USB: the controller's own stdin and stdout, lines of bytes both ways, never waiting for the host.

The host may come and go: what it does not read stays in a small box here and then in the ring, and nothing blocks.
Ctrl-C is an ordinary byte while the link runs (noise on a UART must not stop a table) and works as ever before
`start` and after `stop`, so the host's tools reach the prompt.
"""

import select
import sys

from naqala_protocol import LONGEST_LINE

PIECE = 64  # bytes written at once: one USB packet
MOST_READ = 256  # bytes read at once; more waits for the next turn


class SerialLink:
    """See controller.py for what a link has. `source` and `sink` are byte streams that `select.poll` knows."""

    def __init__(self, source=None, sink=None, size: int = 2048) -> None:
        # CPython reads ahead into a buffer that poll cannot see into; what lies under it does not.
        self._source = source or getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)
        self._sink = sink or getattr(sys.stdout.buffer, "raw", sys.stdout.buffer)
        self._box = bytearray(size)
        self._view = memoryview(self._box)
        self._begin = self._end = 0
        self._incoming = select.poll()
        self._incoming.register(self._source, select.POLLIN)
        self._outgoing = select.poll()
        self._outgoing.register(self._sink, select.POLLOUT)

    def start(self) -> None:
        """From here on 0x03 is a byte like any other."""
        _interrupt(-1)

    def stop(self) -> None:
        _interrupt(3)

    def step(self, now: int) -> bool:
        self._flush()
        return False  # a host that comes says hello itself

    def receive(self) -> bytes:
        data = b""
        while len(data) < MOST_READ and _ready(self._incoming, select.POLLIN):
            piece = self._source.read(1)  # more than one would wait until they are all there
            if not piece:
                break
            data += piece
        return data

    def room(self) -> bool:
        return len(self._box) - (self._end - self._begin) >= LONGEST_LINE

    def send(self, line: bytes) -> None:
        if self._end + len(line) > len(self._box):
            left = self._end - self._begin
            self._box[:left] = self._box[self._begin : self._end]
            self._begin, self._end = 0, left
        self._box[self._end : self._end + len(line)] = line
        self._end += len(line)
        self._flush()

    def _flush(self) -> None:
        while self._begin < self._end and _ready(self._outgoing, select.POLLOUT):
            piece = self._view[self._begin : min(self._begin + PIECE, self._end)]
            written = self._sink.write(piece)
            if not written:
                return
            self._begin += written
        if self._begin == self._end:
            self._begin = self._end = 0


def _ready(poll, event: int) -> bool:
    for found in poll.poll(0):
        return bool(found[1] & event)
    return False


def _interrupt(character: int) -> None:
    try:
        import micropython

        micropython.kbd_intr(character)
    except (ImportError, AttributeError):
        pass  # not on the controller: nothing reads Ctrl-C from this stream
