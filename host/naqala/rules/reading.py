"""Reading foreign JSON one value at a time: each function gives the value or says where and why it is none."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NoReturn

from naqala.rules.board import TRIBES
from naqala.rules.goods import RESOURCES, in_order
from naqala.rules.model import in_tribe_order


class BadPosition(Exception):
    """Not a position: one sentence that says where and why."""


def shown(value: Any) -> str:
    """A value as it may stand in a one-line message, however long it came in."""
    try:
        shown = json.dumps(value, default=str)
    except RecursionError:  # it could just be read, but from fewer calls deep
        return "something nested too deeply"
    return shown if len(shown) <= 60 else shown[:57] + "..."


def parsed(text: str) -> Any:
    """The value of a JSON text. ValueError for what is none: a key that stands twice and a number like NaN, too."""
    try:
        return json.loads(text, object_pairs_hook=_each_once, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"key {shown(key)} stands twice in one object")
        found[key] = value
    return found


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")


def an_object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadPosition(f"{where}: expected an object, not {shown(value)}")
    return value


def a_list(value: Any, where: str, longest: int) -> list[Any]:
    if not isinstance(value, list):
        raise BadPosition(f"{where}: expected a list, not {shown(value)}")
    if len(value) > longest:
        raise BadPosition(f"{where}: {len(value)} entries, at most {longest} are possible")
    return value


def a_number(value: Any, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadPosition(f"{where}: expected a whole number, not {shown(value)}")
    if not 0 <= value < 10**9:
        raise BadPosition(f"{where}: {shown(value)} is not possible")
    return value


def a_word(value: Any, where: str, known: Iterable[str], what: str) -> str:
    if not isinstance(value, str) or value not in known:
        raise BadPosition(f"{where}: no such {what} {shown(value)}")
    return value


def words(value: Any, where: str, known: Iterable[str], what: str, longest: int) -> tuple[str, ...]:
    return tuple(a_word(item, where, known, what) for item in a_list(value, where, longest))


def meeples(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise BadPosition(f"{where}: expected letters like YWB, not {shown(value)}")
    for letter in value:
        if letter not in TRIBES:
            raise BadPosition(f"{where}: no such meeple {shown(letter)} (letters are Y W G B R)")
    return in_tribe_order(value)


def a_name(value: Any, where: str) -> str:
    good = isinstance(value, str) and 0 < len(value) <= 40 and value.isprintable() and value == value.strip()
    if not good:
        raise BadPosition(f"{where}: {shown(value)} is not a name of 1 to 40 printable characters")
    return str(value)


def counted_cards(value: Any, where: str) -> tuple[str, ...]:
    """Counted cards, {"fish": 2}, as a sorted tuple."""
    found: list[str] = []
    for card, count in an_object(value, where).items():
        a_word(card, where, RESOURCES, "resource card")
        if a_number(count, f"{where}.{card}") > RESOURCES[card]:
            raise BadPosition(f"{where}.{card}: {count}, but the deck has {RESOURCES[card]}")
        found += [card] * count
    return in_order(found)
