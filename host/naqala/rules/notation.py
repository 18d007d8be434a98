"""Actions as JSON and as one readable line, both ways.

`from_json` and `from_text` read, `to_json` and `to_text` write; both ways give back the same value. Whether an
action is allowed is not asked here, only whether it is an action at all: InvalidAction says what is wrong.

How each field looks stands in the table of `fields`. In text, those of `PLAIN` stand without their name in the order of
the class, the others as `name value` and only when they differ from the default:
`Ann sow C3>C4G>D4R` · `Ann kill D4:B fakirs 1` · `Ann kill Y of Bob` · `Ann power Enki elders 1 tile C3`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields
from typing import Any

from naqala.rules.actions import VERBS, Action, Sow, verb
from naqala.rules.breach import InvalidAction
from naqala.rules.fields import FIELDS, WORD, quoted, text, unquoted
from naqala.rules.reading import shown
from naqala.rules.sowing import Sowing

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
        raise InvalidAction(f"an action is an object, not {shown(data)}")
    word = data.get("do")
    if not isinstance(word, str) or word not in VERBS:
        raise InvalidAction(f"no such action: {shown(word)}")
    values: dict[str, Any] = Sowing.from_json(data)._asdict() if word == "sow" else {}
    if data.get("player") is not None and word not in ("reveal", "correct"):
        values["player"] = text(data["player"])
    for name, _ in _FIELDS_OF[word]:
        if data.get(name) is not None:
            values[name] = _named(name, FIELDS[name].read, data[name])
    for name, value in data.items():
        if name not in values and name not in ("do", "player") and value not in (None, 0, "", []):
            raise InvalidAction(f"{word} has no field {shown(name)}")
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


def _is_plain(word: str, name: str) -> bool:
    # `place palm C3`: the one action whose tile needs no name
    return name in PLAIN or (word == "place" and name == "tile")


def to_text(action: Action) -> str:
    """One readable line."""
    word = verb(action)
    player = getattr(action, "player", None)
    words = [word] if player is None else [quoted(player), word]
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
    words = WORD.findall(line)
    if WORD.sub("", line).strip():
        raise InvalidAction(f"unreadable words in {shown(line)}")
    values: dict[str, Any] = {}
    if words and words[0] not in VERBS:
        values["player"] = unquoted(words.pop(0))
    if not words or words[0] not in VERBS:
        raise InvalidAction(f"no action in {shown(line)}")
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
        raise InvalidAction(f"unexpected {shown(' '.join(front))}")
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
