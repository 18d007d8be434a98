"""Hands that know nothing of the game: they do what a robot's steps say, word for word, on a virtual table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from naqala.hands.table import BAG, HAND, SUPPLY, before
from naqala.virtual.table import VirtualTable

Told = tuple[str, str, str]  # kind, tile, what: as a page shows them


def obey(
    table: VirtualTable, colour: str, steps: Iterable[Told], rest: Callable[[], object] = lambda: None
) -> None:
    """One step after the other. `colour` is that of the robot's camels."""
    mine = before(colour)
    for kind, tile, what in steps:
        if kind == "lift":
            assert sorted(table.piece(tag).which for tag in table.at(tile, "meeple")) == sorted(what)
            table.lift(tile)
        elif kind == "drop":
            table.move(table.at(HAND, "meeple", what)[:1], tile)
        elif kind in ("keep", "bag"):
            tags = [
                tag for letter in set(what) for tag in table.at(tile, "meeple", letter)[: what.count(letter)]
            ]
            assert len(tags) == len(what), f"{what} is not on {tile}"
            table.move(tags, mine if kind == "keep" else BAG)
        elif kind == "camel":
            table.move(table.at(mine, "camel")[:1], tile)
        elif kind == "place":
            table.move(table.at(SUPPLY, what)[:1], tile)
        elif kind == "arrive":
            for letter in what:
                table.move(table.at(BAG, "meeple", letter)[:1], tile)
        else:
            assert kind in ("give", "rob"), kind  # beside the board, where no reader and no referee looks
        rest()


def colours_of(shown: object) -> Mapping[str, str]:
    """Player -> colour of the camels."""
    return {seat.name: seat.colour for seat in shown.seats}  # type: ignore[attr-defined]
