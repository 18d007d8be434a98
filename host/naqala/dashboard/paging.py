"""Long lists in pages: which part of a list an address asks for. `?page=2` is the second page, the first is the newest."""

from __future__ import annotations

from dataclasses import dataclass

from flask import request


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list: its number from 1 on, how many there are, and the places from `first` up to before `last`."""

    number: int
    pages: int
    first: int
    last: int


def asked_page(length: int, of_a_page: int) -> Page:
    """The page that the address asks for; the nearest one when there is none of that number."""
    text = request.args.get("page", "1")
    wanted = int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 1
    pages = max(1, -(-length // of_a_page))
    number = min(max(wanted, 1), pages)
    return Page(number, pages, (number - 1) * of_a_page, min(number * of_a_page, length))
