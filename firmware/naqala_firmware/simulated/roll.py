"""Ids as tags come: from one roll, from many, or from the worst roll imaginable. A kind and a number in, tags out."""

from naqala_firmware.simulated.chance import Chance
from naqala_firmware.simulated.field import Tag

KINDS = ("random", "consecutive", "same slots")


def ids(kind: str, number: int, chance: Chance) -> list:
    """Different ids: `consecutive` as on one roll; `same slots` agree in their lowest digits, so all answer at once."""
    start = chance.bits()
    chosen: list = []
    while len(chosen) < number:
        serial = chance.bits() << 16 | chance.below(65536)
        if kind == "consecutive":
            serial = start + len(chosen) & 0xFFFFFFFF
        elif kind == "same slots":
            serial = serial & ~0xFFF | start & 0xFFF
        id = "e0040150%08x" % (serial & 0xFFFFFFFF)
        if id not in chosen:
            chosen.append(id)
    return chosen


def tags(kind: str, number: int, chance: Chance) -> list:
    chosen = ids(kind, number, chance)
    for i in range(number):
        chosen[i] = Tag(chosen[i])
    return chosen
