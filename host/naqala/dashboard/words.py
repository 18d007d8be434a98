"""Names and short sentences for what the rules call by id: tribes, goods, tiles, djinns, phases, and a tile in words.

Everything goes through the catalogues; nothing here knows a secret, it only words what `view.show` gives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from naqala.dashboard.language import N_, say, say_n
from naqala.rules.board import TRIBES

TILE_NAMES: dict[str, str] = {
    "village": N_("Village"),
    "sacred_place": N_("Sacred place"),
    "oasis": N_("Oasis"),
    "small_market": N_("Small market"),
    "large_market": N_("Large market"),
}
CARD_NAMES: dict[str, str] = {
    "ivory": N_("Ivory"),
    "jewels": N_("Jewels"),
    "gold": N_("Gold bars"),
    "papyrus": N_("Papyrus"),
    "silk": N_("Silk"),
    "spice": N_("Spice"),
    "fish": N_("Fish"),
    "wheat": N_("Wheat"),
    "pottery": N_("Pottery"),
    "fakir": N_("Fakir"),
}
TRIBE_NAMES: dict[str, str] = {
    "Y": N_("Viziers"),
    "W": N_("Elders"),
    "G": N_("Merchants"),
    "B": N_("Builders"),
    "R": N_("Assassins"),
}
ONE_OF_TRIBE: dict[str, str] = {
    "Y": N_("a vizier"),
    "W": N_("an elder"),
    "G": N_("a merchant"),
    "B": N_("a builder"),
    "R": N_("an assassin"),
}
THE_ONE_OF_TRIBE: dict[str, str] = {
    "Y": N_("the vizier"),
    "W": N_("the elder"),
    "G": N_("the merchant"),
    "B": N_("the builder"),
    "R": N_("the assassin"),
}
PIECE_NAMES: dict[str, str] = {"palm": N_("a palm tree"), "palace": N_("a palace"), "camel": N_("a camel")}
# Pieces in a heap, by what they are and look like.
HEAPS: dict[str, str] = {
    "meeple Y": N_("Viziers (yellow)"),
    "meeple W": N_("Elders (white)"),
    "meeple G": N_("Merchants (green)"),
    "meeple B": N_("Builders (blue)"),
    "meeple R": N_("Assassins (red)"),
    "palm": N_("Palm trees"),
    "palace": N_("Palaces"),
    "camel": N_("Camels"),
}
COLOUR_NAMES: dict[str, str] = {
    "pink": N_("Pink"),
    "blue": N_("Blue"),
    "orange": N_("Orange"),
    "black": N_("Black"),
}
DJINN_WORDS: dict[str, str] = {
    "Al-Amin": N_("At the end each pair of fakirs counts as any one good."),
    "Anun-Nak": N_("Three meeples from the bag go onto a wholly empty tile."),
    "Ba'al": N_("Someone gains a djinn: 1 gold if you did, 2 if another did."),
    "Boaz": N_("Your elders and viziers cannot be killed."),
    "Bouraq": N_("Put a palace on any village."),
    "Echidna": N_("Your builders bring twice the gold this turn."),
    "Enki": N_("Put a palm tree on any oasis."),
    "Hagis": N_("The palace may go to a tile around instead."),
    "Haurvatat": N_("Your palm trees are worth 5 each."),
    "Iblis": N_("Your assassins kill two in one place."),
    "Jafaar": N_("Your viziers are worth 3 each."),
    "Kandicha": N_("Your assassins keep, rob or draw from whom they strike."),
    "Kumarbi": N_("Each fakir makes your bid one spot cheaper."),
    "Lamia": N_("The palm tree may go to a tile around instead."),
    "Leta": N_("Put a camel on a wholly empty tile."),
    "Marid": N_("A meeple is dropped on a tile of yours: 1 gold in your move, 2 in another's."),
    "Monkir": N_("A palace is placed: 1 gold if by you, 2 if by another."),
    "Nekir": N_("Assassins kill: 1 gold if yours, 2 if another's."),
    "Shamhat": N_("Your elders are worth 4 each."),
    "Sibittis": N_("Draw three djinns, keep one."),
    "Sloar": N_("Draw the top card of the resource pile."),
    "Utug": N_("Put a camel on a tile with meeples and nothing else."),
    "Dhenim": N_("Viziers are taken: 1 gold if by you, 2 if by another."),
}
# The rows of the score sheet: name and picture.
ROWS: dict[str, tuple[str, str]] = {
    "gold": (N_("Gold"), "coin"),
    "viziers": (N_("Viziers"), "meeple-Y"),
    "elders": (N_("Elders"), "meeple-W"),
    "djinns": (N_("Djinns"), "lamp"),
    "tiles": (N_("Tiles"), "camel"),
    "palms": (N_("Palm trees"), "palm"),
    "palaces": (N_("Palaces"), "palace"),
    "goods": (N_("Goods"), "good-silk"),
}
# What a player is about to do, in the phase of the turn.
DOING_NOW: dict[str, str] = {
    "bid": N_("bids for the turn order"),
    "sow": N_("moves the meeples of one tile"),
    "build": N_("lets the builders earn gold"),
    "kill": N_("chooses a victim for the assassins"),
    "tile": N_("takes the tile's action"),
    "end": N_("may sell goods and ends the turn"),
}
# The same, said to the player whose turn it is.
YOU_NOW: dict[str, str] = {
    "bid": N_("Bid for the turn order"),
    "sow": N_("Move the meeples of one tile"),
    "build": N_("Let your builders earn gold"),
    "kill": N_("Choose a victim for your assassins"),
    "tile": N_("Take the tile's action"),
    "end": N_("Sell goods if you like, then end your turn"),
}
# Why gold moved or a card came, as the rules name causes; a djinn's name stands for itself.
CAUSES: dict[str, str] = {
    "bid": N_("bid"),
    "builders": N_("builders"),
    "merchants": N_("merchants"),
    "assassins": N_("assassins"),
    "sowing": N_("move"),
    "sale": N_("sale"),
    **TILE_NAMES,
}


def card(name: str) -> str:
    """A resource card."""
    return say(CARD_NAMES[name])


def colour(name: str) -> str:
    """A colour of camels."""
    return say(COLOUR_NAMES[name])


def tile_type(name: str) -> str:
    """A kind of tile."""
    return say(TILE_NAMES[name])


def tribe(letter: str) -> str:
    """All meeples of a tribe."""
    return say(TRIBE_NAMES[letter])


def djinn(name: str) -> str:
    """What a djinn does."""
    return say(DJINN_WORDS[name])


def listed(parts: list[str], last: str | None = None) -> str:
    """Parts with commas, the last one joined by "and" (or by the word given)."""
    if len(parts) < 2:
        return "".join(parts)
    joined = say("%(first)s and %(last)s") if last is None else last
    return joined % {"first": ", ".join(parts[:-1]), "last": parts[-1]}


def either(parts: list[str]) -> str:
    """Parts with commas, the last one joined by "or"."""
    return listed(parts, say("%(first)s or %(last)s"))


def of_tribe(tribe: str, count: int) -> str:
    """How many of one tribe: "2 viziers"."""
    counted = {
        "Y": lambda n: say_n("%(n)s vizier", "%(n)s viziers", n),
        "W": lambda n: say_n("%(n)s elder", "%(n)s elders", n),
        "G": lambda n: say_n("%(n)s merchant", "%(n)s merchants", n),
        "B": lambda n: say_n("%(n)s builder", "%(n)s builders", n),
        "R": lambda n: say_n("%(n)s assassin", "%(n)s assassins", n),
    }
    return counted[tribe](count)


def meeples(letters: str) -> str:
    """How many of which tribe: "2 viziers and 1 elder"."""
    return listed([of_tribe(tribe, letters.count(tribe)) for tribe in TRIBES if tribe in letters])


def the_one(letter: str) -> str:
    """A meeple that everybody sees, by its tribe."""
    return say(THE_ONE_OF_TRIBE[letter])


def one(letter: str) -> str:
    """A single meeple: "a vizier"."""
    return say(ONE_OF_TRIBE[letter])


def piece(word: str) -> str:
    """A piece as the referee names it ("meeple R", "camel Ann", "tile oasis 8") in words."""
    kind, _, name = word.partition(" ")
    if kind == "meeple" or word in [*TRIBES]:
        return one(name or word)
    if kind == "camel" and name in COLOUR_NAMES:  # before a game its colour is all one knows
        return say("a camel (%(colour)s)", colour=colour(name))
    if kind == "camel" and name:
        return say("a camel of %(name)s", name=name)
    print_, _, points = name.partition(" ")
    if kind == "tile" and print_ in TILE_NAMES:
        return f"{say(TILE_NAMES[print_])} {points}"
    return say(PIECE_NAMES.get(kind, word))


def gold(amount: int) -> str:
    """An amount of gold."""
    return say_n("%(n)s gold", "%(n)s gold", amount)


def palms(count: int) -> str:
    """A number of palm trees."""
    return say_n("%(n)s palm tree", "%(n)s palm trees", count)


def palaces(count: int) -> str:
    """A number of palaces."""
    return say_n("%(n)s palace", "%(n)s palaces", count)


COUNTED = {"palms": palms, "palaces": palaces}


def fakirs(count: int) -> str:
    """A number of fakirs."""
    return say_n("%(n)s fakir", "%(n)s fakirs", count)


def cost(ways: list[list[int]]) -> str:
    """The ways to pay for a djinn."""
    return either([price(elders, fakir) for elders, fakir in ways]) if ways else say("always on")


def price(elders: int, fakir: int) -> str:
    """Elders and fakirs to be paid."""
    parts = [meeples("W" * elders)] if elders else []
    return listed(parts + ([fakirs(fakir)] if fakir else []))


def cause(word: str) -> str:
    """Why something came: a rulebook's word, or a djinn's name."""
    return say(CAUSES[word]) if word in CAUSES else word


def tile_label(name: str, tile: dict[str, Any]) -> str:
    """A tile and all that stands on it, for those who hear the page."""
    kind = tile["type"]
    parts = [name, say(TILE_NAMES[kind]) if kind else say("tile without a name")]
    if tile["points"]:
        colour = say("blue") if tile["colour"] == "blue" else say("red")
        parts.append(say("%(points)s points, %(colour)s", points=tile["points"], colour=colour))
    parts.append(meeples(tile["meeples"]) or say("no meeple"))
    if tile["camel"]:
        parts.append(say("camel of %(name)s", name=tile["camel"]))
    if tile["palms"]:
        parts.append(palms(tile["palms"]))
    if tile["palaces"]:
        parts.append(palaces(tile["palaces"]))
    parts += [say("out of place: %(what)s", what=piece(stray)) for stray, _, _ in tile["strays"]]
    mark = tile["mark"]
    parts += [say(MARKS[mark])] if mark else []
    return "; ".join(parts)


MARKS: dict[str, str] = {
    "open": N_("open to the hand"),
    "wrong": N_("look here"),
    "start": N_("the hand came from here"),
    "end": N_("the move ended here"),
    "take": N_("something is still to be taken up here"),
    "put": N_("something is still to be placed here"),
    "unread": N_("this reader is silent"),
}


def now(shown: dict[str, Any]) -> dict[str, str]:
    """The one thing on the screen: who, what, and a line more."""
    turn, reading = shown["turn"], shown["reading"]
    who, phase = turn["player"], turn["phase"]
    if phase == "over":
        return {"who": say("The game is over"), "what": say("The score sheet is ready."), "more": ""}
    if phase == "reveal":
        cards, djinns = shown["missing"]
        due = [say_n("%(n)s card", "%(n)s cards", cards)] if cards else []
        due += [say_n("%(n)s djinn", "%(n)s djinns", djinns)] if djinns else []
        return {"who": say("Clean-up"), "what": say("Turn up %(due)s.", due=listed(due)), "more": ""}
    mine = who == shown["me"]
    what = say((YOU_NOW if mine else DOING_NOW)[phase])
    more = ""
    if reading["kind"] == "doing":
        what = _in_hand(len(reading["hand"]), mine) if reading["hand"] else what
        if shown["help"] and reading["open"]:
            more = say("Next may be %(tiles)s.", tiles=either(reading["open"]))
    elif phase in MORE:
        more = MORE[phase](shown)
    return {"who": who or "", "what": what, "more": more}


def _in_hand(count: int, mine: bool) -> str:
    if mine:
        return say_n("%(n)s meeple in hand", "%(n)s meeples in hand", count)
    return say_n("is moving, %(n)s meeple in hand", "is moving, %(n)s meeples in hand", count)


def _builders(shown: dict[str, Any]) -> str:
    turn = shown["turn"]
    return say_n(
        "%(who)s with %(n)s blue tile around %(tile)s",
        "%(who)s with %(n)s blue tiles around %(tile)s",
        turn["blue"],
        who=meeples(turn["collected"]),
        tile=turn["tile"],
    )


def _assassins(shown: dict[str, Any]) -> str:
    turn = shown["turn"]
    return say("%(who)s from %(tile)s", who=meeples(turn["collected"]), tile=turn["tile"])


def _end_tile(shown: dict[str, Any]) -> str:
    tile = shown["turn"]["tile"]
    kind = shown["board"][tile]["type"]
    return f"{tile}: {say(OFFERS[kind])}" if kind else str(tile)


# The line more, by the phase of the turn.
MORE: dict[str, Callable[[dict[str, Any]], str]] = {"build": _builders, "kill": _assassins, "tile": _end_tile}

OFFERS: dict[str, str] = {
    "village": N_("put a palace here"),
    "sacred_place": N_("summon a djinn for 2 elders, or 1 elder and 1 fakir"),
    "oasis": N_("put a palm tree here"),
    "small_market": N_("3 gold for one of the first 3 cards"),
    "large_market": N_("6 gold for two of the first 6 cards"),
}
