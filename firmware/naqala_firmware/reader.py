"""What every reader answers, whatever its chip: one question, three different answers.

`inventory()` returns an Inventory with ids, an Inventory without ids (the spot is empty), or raises ReaderFault
(nobody knows what lies there). An Inventory that is not complete is a fourth thing: the ids in it are there, but more
may be; nothing may be concluded from an id that is missing in it.

A reader (pn5180.PN5180, mfrc522.MFRC522) has:

    wake()      let the chip start up by itself while another reader is at work; optional before start()
    start()     reset, check the version, load the field's settings; raises ReaderFault
    inventory(probe=False, budget_us=150000)
                field on, ask, field off; starts the reader first if need be. With probe the question is the short
                one, for a spot that was empty the last time. Raises ReaderFault, after which the reader is stopped.
    stop()      field off, chip in reset: it draws nothing and disturbs nobody; never raises. Only a chip that may still be
                starting up is left to it
    version     "pn5180 4.0" after start(), "" before
    counts      bytearray: how often each of COUNTS happened, stopping at 255; whoever reads it may zero it

Time comes from a clock with ticks_us(), sleep_us(us) and diff(later, earlier): clock.Clock on the controller.
"""

from collections import namedtuple

# ids: sorted tuple of lower-case hex strings. ISO 15693 ids start with e0 (as printed on tags), others as they are sent.
Inventory = namedtuple("Inventory", ("ids", "complete"))

EMPTY = Inventory((), True)

# The wire's own limit (a test compares them): drivers alone do without the protocol, which takes 20 KB.
MOST_TAGS = 24

BUDGET_US = 150_000  # one inventory: fourteen tags need 122 ms on the controller

# What can be broken, and what to look at.
CODES = (
    ("absent", "nothing answers: module missing, not powered, or its cable is off"),
    ("busy", "the chip never becomes ready for a command: BUSY line, or a chip that hangs"),
    ("silent", "the chip answers but does not do what it is told: broken chip or SPI lines"),
    ("brownout", "the chip restarted in the middle of its work: supply too weak, or loose contact"),
    ("field", "the field does not come on: antenna, matching, or its supply"),
    ("foreign", "another field is already there: a phone or another reader lies on the table"),
    ("hot", "the chip is too hot and switched its field off: antenna mistuned, or too much power"),
    ("refused", "the chip did not accept a command: bit errors on the SPI lines; try a lower `spi` speed"),
    ("stranger", "another chip than expected answers: wrong type in the reader map, or a poor copy"),
)

COUNTS = ("reads", "collisions", "garbles", "ghosts", "unresolved", "faults")
READS, COLLISIONS, GARBLES, GHOSTS, UNRESOLVED, FAULTS = range(6)


class ReaderFault(Exception):
    """The reader is broken; that is not the same as an empty spot. `code` is one of CODES."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def count(counts: bytearray, which: int) -> None:
    if counts[which] < 255:
        counts[which] += 1
