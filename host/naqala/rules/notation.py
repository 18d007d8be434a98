"""Actions as JSON and as one readable line, both ways.

`from_json` and `from_text` read, `to_json` and `to_text` write; both ways give back the same value. Whether an
action is allowed is not asked here, only whether it is an action at all: InvalidAction says what is wrong.

One table, FIELDS, knows every field: how it looks in JSON and as words. In text, the fields of `PLAIN` stand
without their name in the order of the class, the others as `name value` and only when they differ from the default:
`Ann sow C3>C4G>D4R` · `Ann kill D4:B fakirs 1` · `Ann kill Y of Bob` · `Ann power Enki elders 1 tile C3`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields
from typing import Any

from naqala.rules.actions import VERBS, Action, Sow, Standing, Victim, verb
from naqala.rules.board import NUMBER, TRIBES
from naqala.rules.breach import InvalidAction
from naqala.rules.djinns import DJINNS
from naqala.rules.goods import RESOURCES
from naqala.rules.model import PIECES
from naqala.rules.sowing import Sowing

# --- one word or one JSON value at a time -------------------------------------------------------------------


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise InvalidAction(f"expected a word, not {_shown(value)}")
    return value


def _number(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise InvalidAction(f"expected a whole number from 0, not {_shown(value)}")
    return value


def _one_of(known: Any, what: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in known:
            raise InvalidAction(f"no such {what}: {_shown(value)}")
        return value

    return read


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise InvalidAction(f"expected a list, not {_shown(value)}")
    return value


def _shown(value: Any) -> str:
    shown = json.dumps(value, default=str)
    return shown if len(shown) <= 60 else shown[:57] + "..."


_tile = _one_of(NUMBER, "tile")
_letter = _one_of(frozenset(TRIBES), "meeple")
_card = _one_of(RESOURCES, "resource card")
_djinn = _one_of(DJINNS, "djinn")


def _drop(value: Any) -> tuple[str, str]:
    pair = _list(value)
    if len(pair) != 2:
        raise InvalidAction(f"a drop is [tile, letter], not {_shown(value)}")
    return _tile(pair[0]), _letter(pair[1])


def _victim(value: Any) -> Victim:
    if not isinstance(value, dict) or set(value) not in ({"tile", "meeple"}, {"player", "meeple"}):
        raise InvalidAction(f"a victim has a meeple and a tile or a player, not {_shown(value)}")
    if "tile" in value:
        return Victim(_letter(value["meeple"]), tile=_tile(value["tile"]))
    return Victim(_letter(value["meeple"]), player=_text(value["player"]))


def _victim_json(victim: Victim) -> dict[str, str]:
    if victim.tile is not None:
        return {"tile": victim.tile, "meeple": victim.meeple}
    return {"player": str(victim.player), "meeple": victim.meeple}


def _from_quotes(words: list[str]) -> Any:
    try:
        return json.loads(json.loads(" ".join(words)))
    except (ValueError, TypeError, RecursionError):
        raise InvalidAction(f"expected tiles as JSON in quotes, not {_shown(' '.join(words))}") from None


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
            found.append(Victim(_letter(word), player=_unquoted(rest[1])))
            del rest[:2]
        else:
            tile, letter = _drop(word.split(":"))
            found.append(Victim(letter, tile=tile))
    return tuple(found)


def _victim_words(victims: tuple[Victim, ...]) -> list[str]:
    words: list[str] = []
    for victim in victims:
        at_home = [f"{victim.tile}:{victim.meeple}"]
        words += at_home if victim.tile else [victim.meeple, "of", _quoted(str(victim.player))]
    return words or ["nobody"]


def _standing(tile: Any, there: Any) -> Standing:
    if not isinstance(there, dict) or set(there) - {"meeples", "camel", "palms", "palaces"}:
        raise InvalidAction(f"a tile holds meeples, a camel, palms and palaces, not {_shown(there)}")
    camel = there.get("camel")
    return Standing(
        _tile(tile),
        _meeples(there.get("meeples", "")),
        None if camel is None else _text(camel),
        _number(there.get("palms", 0)),
        _number(there.get("palaces", 0)),
    )


def _standings(value: Any) -> tuple[Standing, ...]:
    if not isinstance(value, dict) or not value:
        raise InvalidAction(f"expected tiles and what they hold, not {_shown(value)}")
    return tuple(_standing(tile, there) for tile, there in value.items())


def _standings_json(standings: tuple[Standing, ...]) -> dict[str, Any]:
    return {
        s.tile: {"meeples": s.meeples, "camel": s.camel, "palms": s.palms, "palaces": s.palaces}
        for s in standings
    }


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidAction(f"expected true or false, not {_shown(value)}")
    return value


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
    "as_it_lies": Field(_flag, _as_is, lambda words: not words, lambda value: []),
    "suits": Field(
        _several(_suit),
        lambda suits: [list(suit) for suit in suits],
        lambda words: tuple(tuple(_card(card) for card in word.split("+")) for word in words),
        lambda suits: ["+".join(suit) for suit in suits],
    ),
}
# Fields that stand in text without their name. A single word, except the last one of an action, which takes the rest.
PLAIN = ("spot", "to", "victims", "what", "cards", "djinn", "suits", "row", "tiles")
WITHOUT_PLAYER = ("reveal", "correct", "undo")
# Fields that JSON shows even at their default.
_ALWAYS = ("fakirs", "elders", "row", "djinns")


# --- JSON ---------------------------------------------------------------------------------------------------


# Names and defaults of each action (MISSING where there is none); the player and a sowing's two fields apart.
_FIELDS_OF: dict[str, tuple[tuple[str, Any], ...]] = {
    word: tuple((field.name, field.default) for field in fields(kind) if field.name in FIELDS)
    for word, kind in VERBS.items()
}


def to_json(action: Action) -> dict[str, Any]:
    """As a tap posts it and `replay --actions` prints it."""
    found: dict[str, Any] = {"do": verb(action)}
    player = getattr(action, "player", None)
    if player is not None:
        found["player"] = player
    if isinstance(action, Sow):
        found |= Sowing(action.start, action.drops).to_json()
    for name, default in _FIELDS_OF[verb(action)]:
        value = getattr(action, name)
        if value != default or name in _ALWAYS:
            found[name] = FIELDS[name].write(value)
    return found


def from_json(data: Any) -> Action:
    """The action of a JSON object. A field of another action is refused, unless it is empty."""
    if not isinstance(data, dict):
        raise InvalidAction(f"an action is an object, not {_shown(data)}")
    word = data.get("do")
    if not isinstance(word, str) or word not in VERBS:
        raise InvalidAction(f"no such action: {_shown(word)}")
    values: dict[str, Any] = Sowing.from_json(data)._asdict() if word == "sow" else {}
    if data.get("player") is not None and word not in ("reveal", "correct"):
        values["player"] = _text(data["player"])
    for name, _ in _FIELDS_OF[word]:
        if data.get(name) is not None:
            values[name] = _named(name, FIELDS[name].read, data[name])
    for name, value in data.items():
        if name not in values and name not in ("do", "player") and value not in (None, 0, "", []):
            raise InvalidAction(f"{word} has no field {_shown(name)}")
    return _made(word, values)


def _named(name: str, read: Callable[[Any], Any], value: Any) -> Any:
    try:
        return read(value)
    except InvalidAction as error:
        raise InvalidAction(f"{name}: {error}") from None


def _made(word: str, values: dict[str, Any]) -> Action:
    needed = [name for name, default in _FIELDS_OF[word] if default is MISSING]
    if word not in WITHOUT_PLAYER:
        needed.insert(0, "player")
    for name in needed:
        if name not in values:
            raise InvalidAction(f"{word} needs {name}")
    return VERBS[word](**values)


# --- text ---------------------------------------------------------------------------------------------------

_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s"]+')


def _quoted(name: str) -> str:
    plain = _WORD.fullmatch(name) and name[0] not in '"#' and name not in VERBS and name not in FIELDS
    return name if plain else json.dumps(name, ensure_ascii=False)


def _unquoted(word: str) -> str:
    try:
        return _text(json.loads(word)) if word.startswith('"') else word
    except ValueError:
        raise InvalidAction(f"unreadable name {word}") from None


def _is_plain(word: str, name: str) -> bool:
    # `place palm C3`: the one action whose tile needs no name
    return name in PLAIN or (word == "place" and name == "tile")


def to_text(action: Action) -> str:
    """One readable line."""
    word = verb(action)
    player = getattr(action, "player", None)
    words = [word] if player is None else [_quoted(player), word]
    if isinstance(action, Sow):
        words.append(str(Sowing(action.start, action.drops)))
    for name, default in _FIELDS_OF[word]:
        value = getattr(action, name)
        if _is_plain(word, name):
            words += FIELDS[name].words(value)
        elif value != default:
            words += [name, *FIELDS[name].words(value)]
    return " ".join(words)


def from_text(line: str) -> Action:
    """The action of a line as `to_text` writes it."""
    words = _WORD.findall(line)
    if _WORD.sub("", line).strip():
        raise InvalidAction(f"unreadable words in {_shown(line)}")
    values: dict[str, Any] = {}
    if words and words[0] not in VERBS:
        values["player"] = _unquoted(words.pop(0))
    if not words or words[0] not in VERBS:
        raise InvalidAction(f"no action in {_shown(line)}")
    word = words.pop(0)
    if word in ("reveal", "correct") and values:
        raise InvalidAction(f"{word} has no player")
    if word == "sow":
        if not words:
            raise InvalidAction("sow needs one word like C3>C4G>D4R")
        values |= Sowing.from_text(words.pop(0))._asdict()
    for name, found in _parts(word, words):
        values[name] = _named(name, FIELDS[name].parse, found)
    return _made(word, values)


def _parts(word: str, words: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Cut the words of a line into fields: the plain ones in order, then each named one with what follows it."""
    plain = [name for name, _ in _FIELDS_OF[word] if _is_plain(word, name)]
    named = [name for name, _ in _FIELDS_OF[word] if name not in plain]
    cut = next((place for place, found in enumerate(words) if found in named), len(words))
    front, rest = words[:cut], words[cut:]
    if not plain and front:
        raise InvalidAction(f"unexpected {_shown(' '.join(front))}")
    for place, name in enumerate(plain):
        last = place == len(plain) - 1
        found = front[place:] if last else front[place : place + 1]
        if found or name in ("row", "cards", "suits"):
            yield name, found
    while rest:
        name = rest.pop(0)
        stop = next((place for place, found in enumerate(rest) if found in named), len(rest))
        yield name, rest[:stop]
        rest = rest[stop:]
