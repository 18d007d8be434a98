"""The fields of actions, one at a time: how each looks in JSON and as words of a line.

One table, FIELDS, knows them all; `notation` puts whole actions together from it. What is no such field is InvalidAction.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from naqala.rules.actions import VERBS, Standing, Victim
from naqala.rules.board import NUMBER, TRIBES
from naqala.rules.breach import InvalidAction
from naqala.rules.djinns import DJINNS
from naqala.rules.goods import RESOURCES
from naqala.rules.model import PIECES
from naqala.rules.reading import shown

# --- one word or one JSON value at a time -------------------------------------------------------------------


def text(value: Any) -> str:
    """A word that is not empty."""
    if not isinstance(value, str) or not value:
        raise InvalidAction(f"expected a word, not {shown(value)}")
    return value


def _number(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise InvalidAction(f"expected a whole number from 0, not {shown(value)}")
    return value


def _one_of(known: Any, what: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in known:
            raise InvalidAction(f"no such {what}: {shown(value)}")
        return value

    return read


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise InvalidAction(f"expected a list, not {shown(value)}")
    return value


_tile = _one_of(NUMBER, "tile")
_letter = _one_of(frozenset(TRIBES), "meeple")
_card = _one_of(RESOURCES, "resource card")
_djinn = _one_of(DJINNS, "djinn")


def _drop(value: Any) -> tuple[str, str]:
    pair = _list(value)
    if len(pair) != 2:
        raise InvalidAction(f"a drop is [tile, letter], not {shown(value)}")
    return _tile(pair[0]), _letter(pair[1])


def _victim(value: Any) -> Victim:
    if not isinstance(value, dict) or set(value) not in ({"tile", "meeple"}, {"player", "meeple"}):
        raise InvalidAction(f"a victim has a meeple and a tile or a player, not {shown(value)}")
    if "tile" in value:
        return Victim(_letter(value["meeple"]), tile=_tile(value["tile"]))
    return Victim(_letter(value["meeple"]), player=text(value["player"]))


def _victim_json(victim: Victim) -> dict[str, str]:
    if victim.tile is not None:
        return {"tile": victim.tile, "meeple": victim.meeple}
    return {"player": str(victim.player), "meeple": victim.meeple}


def _from_quotes(words: list[str]) -> Any:
    try:
        return json.loads(json.loads(" ".join(words)))
    except (ValueError, TypeError, RecursionError):
        raise InvalidAction(f"expected tiles as JSON in quotes, not {shown(' '.join(words))}") from None


def _several(read: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    return lambda value: tuple(read(item) for item in _list(value))


def _suit(value: Any) -> tuple[str, ...]:
    cards = _several(_card)(value)
    if not cards:
        raise InvalidAction("a suit has at least one card")
    return cards


def _cards_drawn(value: Any) -> tuple[str, ...]:
    return (_card(value),) if isinstance(value, str) else _several(_card)(value)


def _meeples(value: Any) -> str:
    letters = list(value) if isinstance(value, str) else _list(value)
    return "".join(_letter(letter) for letter in letters)


# --- names in quotes ------------------------------------------------------------------------------------------

WORD = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s"]+')


def quoted(name: str) -> str:
    """A player's name as one word of a line."""
    plain = WORD.fullmatch(name) and name[0] not in '"#' and name not in VERBS and name not in FIELDS
    return name if plain else json.dumps(name, ensure_ascii=False)


def unquoted(word: str) -> str:
    """The name that such a word stands for."""
    try:
        return text(json.loads(word)) if word.startswith('"') else word
    except ValueError:
        raise InvalidAction(f"unreadable name {word!r}") from None


# --- the fields ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Field:
    """How one field is read from JSON, written to JSON, read from words and written as words."""

    read: Callable[[Any], Any]
    write: Callable[[Any], Any]
    parse: Callable[[list[str]], Any]
    words: Callable[[Any], list[str]]


def _as_is(value: Any) -> Any:
    return value


def _single(read: Callable[[Any], Any], convert: Callable[[str], Any] = str) -> Field:
    def parse(words: list[str]) -> Any:
        if len(words) != 1:
            raise InvalidAction(f"expected one word, not {' '.join(words)!r}")
        return read(convert(words[0]))

    return Field(read, _as_is, parse, lambda value: [str(value)])


def _count(word: str) -> Any:
    return int(word) if re.fullmatch(r"[0-9]{1,9}", word) else word


def _row_of(read: Callable[[Any], Any]) -> Field:
    return Field(_several(read), list, lambda words: tuple(read(word) for word in words), list)


def _parse_victims(words: list[str]) -> tuple[Victim, ...]:
    if words == ["nobody"]:
        return ()
    found, rest = [], list(words)
    while rest:
        word = rest.pop(0)
        if len(rest) >= 2 and rest[0] == "of":
            found.append(Victim(_letter(word), player=unquoted(rest[1])))
            del rest[:2]
        else:
            tile, letter = _drop(word.split(":"))
            found.append(Victim(letter, tile=tile))
    return tuple(found)


def _victim_words(victims: tuple[Victim, ...]) -> list[str]:
    words: list[str] = []
    for victim in victims:
        at_home = [f"{victim.tile}:{victim.meeple}"]
        words += at_home if victim.tile else [victim.meeple, "of", quoted(str(victim.player))]
    return words or ["nobody"]


def _standing(tile: Any, there: Any) -> Standing:
    if not isinstance(there, dict) or set(there) - {"meeples", "camel", "palms", "palaces"}:
        raise InvalidAction(f"a tile holds meeples, a camel, palms and palaces, not {shown(there)}")
    camel = there.get("camel")
    return Standing(
        _tile(tile),
        _meeples(there.get("meeples", "")),
        None if camel is None else text(camel),
        _number(there.get("palms", 0)),
        _number(there.get("palaces", 0)),
    )


def _standings(value: Any) -> tuple[Standing, ...]:
    if not isinstance(value, dict) or not value:
        raise InvalidAction(f"expected tiles and what they hold, not {shown(value)}")
    return tuple(_standing(tile, there) for tile, there in value.items())


def _standings_json(standings: tuple[Standing, ...]) -> dict[str, Any]:
    return {
        s.tile: {"meeples": s.meeples, "camel": s.camel, "palms": s.palms, "palaces": s.palaces}
        for s in standings
    }


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidAction(f"expected true or false, not {shown(value)}")
    return value


def _alone(words: list[str]) -> bool:
    """In text the word itself says yes, and nothing comes after it."""
    if words:
        raise InvalidAction(f"nothing belongs to as_it_lies, not {shown(' '.join(words))}")
    return True


_NUMBER = _single(_number, _count)
_CARDS = _row_of(_card)
FIELDS: dict[str, Field] = {
    "spot": _NUMBER,
    "fakirs": _NUMBER,
    "elders": _NUMBER,
    "to": _NUMBER,
    "tile": _single(_tile),
    "what": _single(_one_of(PIECES, "piece to place")),
    "djinn": _single(_djinn),
    "keep": _single(_djinn),
    "meeples": _single(_meeples),
    "card": Field(
        _cards_drawn,
        lambda cards: cards[0] if len(cards) == 1 else list(cards),
        lambda words: tuple(_card(word) for word in words),
        list,
    ),
    "cards": _CARDS,
    "row": _CARDS,
    "drawn": _row_of(_djinn),
    "djinns": _row_of(_djinn),
    "victims": Field(
        _several(_victim), lambda victims: [_victim_json(v) for v in victims], _parse_victims, _victim_words
    ),
    # In text the tiles are JSON in quotes: a correction is rare, and meant for a second look.
    "tiles": Field(
        _standings,
        _standings_json,
        lambda words: _standings(_from_quotes(words)),
        lambda standings: [
            json.dumps(json.dumps(_standings_json(standings), ensure_ascii=False), ensure_ascii=False)
        ],
    ),
    "as_it_lies": Field(_flag, _as_is, _alone, lambda value: []),
    "suits": Field(
        _several(_suit),
        lambda suits: [list(suit) for suit in suits],
        lambda words: tuple(tuple(_card(card) for card in word.split("+")) for word in words),
        lambda suits: ["+".join(suit) for suit in suits],
    ),
}
