"""Join codes: four letters that lead to a table, for people who type instead of scanning. `http://address/BKRT` asks for a name.

Made from the house's key and the table's name, so they stay the same from evening to evening and nothing has to be kept. They
are signposts, not secrets: who is in the network may look on anyway.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable

LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # no vowels, so no words; nothing that is taken for a digit
LENGTH = 4


def codes(key: str, tables: Iterable[str]) -> dict[str, str]:
    """Table -> code, each code once. Tables that come later do not change the code of another, short of one chance in 160,000."""
    found: dict[str, str] = {}
    for table in sorted(tables):
        turn = 0
        while (code := _code(key, table, turn)) in found.values():
            turn += 1
        found[table] = code
    return found


def _code(key: str, table: str, turn: int) -> str:
    digest = hmac.digest(key.encode(), f"join {turn} {table}".encode(), hashlib.sha256)
    return "".join(LETTERS[byte % len(LETTERS)] for byte in digest[:LENGTH])
