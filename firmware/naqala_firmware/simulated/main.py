"""A simulated table as a program of its own, in real time: the wire on stdin and stdout, the world's words in a file.

    micropython main.py SEED NAME /dev/fd/3

It is the very firmware, its serial link included, on the interpreter of the chip. It ends when the words do.
"""

import select
import sys

here = __file__.rsplit("/", 3)[0]
sys.path[:0] = [here, here + "/../protocol"]

import time  # noqa: E402

from naqala_firmware.serial_link import SerialLink  # noqa: E402
from naqala_firmware.simulated.table import SimulatedTable  # noqa: E402
from naqala_firmware.simulated.world import World  # noqa: E402

LATE_US = 200000  # a machine that cannot keep up lets the table's clock go slow rather than run after it
REST_MS = 3


def run(seed: int, name: str, words, link) -> None:
    table = SimulatedTable(seed=seed, name=name, link=link)
    world = World(table)
    told = select.poll()
    told.register(words, select.POLLIN)
    link.start()
    last, due = time.ticks_us(), 0
    while True:
        now = time.ticks_us()
        due += time.ticks_diff(now, last)
        last = now
        while told.poll(0):
            line = words.readline()
            if not line:
                link.stop()
                return
            world.do(line.decode())
        if due - table.now_us > LATE_US:
            due = table.now_us + LATE_US
        if table.now_us < due:
            world.run_to(due)
        else:
            time.sleep_ms(REST_MS)


if __name__ == "__main__":
    with open(sys.argv[3], "rb") as words:
        run(int(sys.argv[1]), sys.argv[2], words, SerialLink())
