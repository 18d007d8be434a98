"""How long a PN5180 takes for what it does: the datasheet's figures with their spread, and where they come from.

The driver has its own limits and shares none of these numbers, so a test can make a chip twice as slow or twice as quick
and see whether the driver still reads. Where the datasheet says nothing the spread is a guess, and a wide one.
"""

from collections import namedtuple

# Microseconds. boot: RESET to IDLE_IRQ; busy: BUSY after a frame; avoidance: listening for another field, unless RF_ON
# forbids it; field: from there to TX_RFON; send: SEND_DATA to the first pulse on the air; t1: a request's end to the answer;
# sof: the end of a start of frame to RX_SOF_DET; done: the end of an answer to RX_IRQ.
Times = namedtuple("Times", ("boot", "busy", "avoidance", "field", "send", "t1", "sof", "done"))
FIELDS = ("boot", "busy", "avoidance", "field", "send", "t1", "sof", "done")  # MicroPython's have no _fields

# name -> (least, usual, most, where it is from)
TABLE = {
    "boot": (
        2300,
        2400,
        100_000,
        "2.3 to 2.5 ms with a quick crystal (table 141); XTAL_BOOT_TIME sets no upper limit",
    ),
    "busy": (5, 40, 120, "not given; a public trace shows 20 to 60"),
    "avoidance": (302, 302, 2416, "initial delay of ISO 18092, up to eight times as long"),
    "field": (
        20,
        50,
        500,
        "not given; the amplitude is there within a few carrier periods, the interrupt later",
    ),
    "send": (20, 60, 120, "not given; TX_WAIT and the command's own time"),
    "t1": (319, 321, 324, "ISO 15693-3: 4320 to 4384 carrier periods"),
    "sof": (5, 50, 120, "not given; the receiver must have heard the whole start of frame"),
    "done": (5, 20, 60, "not given"),
}

USUAL = Times(*[TABLE[name][1] for name in FIELDS])
# A chip that takes no time for itself, for figures of the air alone.
IDEAL = Times(2400, 0, 0, 60, 0, 321, 0, 0)


def spread(chance) -> Times:
    """One chip of many: each time anywhere between its least and its most, small ones more often."""
    drawn = []
    for name in FIELDS:
        least, _, most, _ = TABLE[name]
        part = chance.below(1001) * chance.below(1001)
        drawn.append(least + (most - least) * part // 1_000_000)
    return Times(*drawn)


def scaled(name: str, numerator: int, denominator: int = 1) -> Times:
    """The usual chip, but for one time."""
    return changed(name, getattr(USUAL, name) * numerator // denominator)


def changed(name: str, us: int, chip: Times = USUAL) -> Times:
    """A chip that differs in one time."""
    values = list(chip)
    values[FIELDS.index(name)] = us
    return Times(*values)
