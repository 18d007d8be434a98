"""An hour of play on MicroPython: 30 readers, 130 tags, a hand that moves one every two seconds, a host that listens.

usage: soak_main.py chips|scripted SECONDS. With `scripted` readers only the firmware's loop is in the heap, and the real
chip's heap must do; the simulated `chips` need more beside it. Prints one JSON line: bytes in use at the start, when all
was built and after each tenth of the time, the largest piece still to be had, the lines said, and whether the host's
picture is right at the end.
"""

import sys

here = __file__.rsplit("/", 1)[0]
sys.path[:0] = [here + "/../..", here + "/../../firmware", here + "/../../protocol"]

import gc  # noqa: E402
import json  # noqa: E402

from naqala_firmware.life import keep_heap_whole  # noqa: E402
from naqala_firmware.simulated.chance import Chance  # noqa: E402
from naqala_protocol import FROM_CONTROLLER, Decoder, Focus, Hello, Resync, Seen, encode  # noqa: E402

READERS, TAGS = 30, 130


def in_use():
    gc.collect()
    return gc.mem_alloc()


def largest():
    """The largest piece that can still be had: a heap that broke up has plenty of bytes and no large piece."""
    gc.collect()
    size = 1024
    while True:
        try:
            bytearray(2 * size)
        except MemoryError:
            return size
        size *= 2
        gc.collect()


def neighbours(reader):
    row, column = divmod(reader, 6)
    near = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return tuple([6 * r + c for r, c in near if 0 <= r < 5 and 0 <= c < 6])


class Play:
    """A hand that walks tags over the table, and a host that listens, focuses, comes and goes."""

    def __init__(self, table):
        self.chance = Chance(42)
        self.table = table
        self.decoder = Decoder(FROM_CONTROLLER)
        self.picture = {}
        self.lines = self.hellos = 0
        self.tags = ["e0040102%08x" % (number * 40503 + 7) for number in range(TAGS)]
        self.where = {}
        for number in range(TAGS):
            self.put(self.tags[number], number % READERS)

    def put(self, tag, reader):
        self.where[tag] = reader
        self.table.place(tag, reader)

    def listen(self):
        said = self.table.said()
        for line in [said] if type(said) is bytes else said:
            for message in self.decoder.feed(line):
                self.take(message)

    def take(self, message):
        if type(message) is Seen:
            self.picture[message.reader] = message.tags
            self.lines += 1
        elif type(message) is Hello:
            self.hellos += 1

    def move(self):
        tag = self.tags[self.chance.below(TAGS)]
        near = neighbours(self.where[tag])
        self.table.remove(tag)
        self.table.hear(encode(Focus(near)))
        self.table.run(500)
        self.listen()
        self.put(tag, near[self.chance.below(len(near))])
        self.table.run(1500)
        self.listen()

    def right(self):
        truth = {}
        for tag, reader in self.where.items():
            truth.setdefault(reader, []).append(tag)
        for reader in range(READERS):
            if self.picture.get(reader) != tuple(sorted(truth.get(reader, ()))):
                return False
        return True


def table_of(kind):
    if kind == "chips":
        from naqala_firmware.simulated.table import SimulatedTable

        return SimulatedTable(READERS, seed=42, misses=0.01)
    from tests.firmware.scripted import ScriptedTable

    return ScriptedTable(READERS, 0.01)


keep_heap_whole()
empty = in_use()
play = Play(table_of(sys.argv[1]))
built = in_use()
seconds = int(sys.argv[2])
heap = []  # bytes in use after each tenth of the time
for turn in range(seconds // 2):
    play.move()
    if turn % 150 == 149:
        play.table.hear(encode(Hello(1, "host", 0, 0, 0, "host", ())) + encode(Resync(None)))
    if turn % (seconds // 20) == 0:
        heap.append(in_use())
play.table.run(4000)
play.listen()
heap.append(in_use())
print(
    json.dumps(
        {
            "start": empty,
            "built": built,
            "heap": heap,
            "lines": play.lines,
            "hellos": play.hellos,
            "seconds": play.table.now_us // 1000000,
            "right": play.right(),
            "largest": largest(),
        }
    )
)
