"""One table in two worlds that differ in nothing but one player's secrets; what all others get must be the same, byte for byte.

A world is everything real: rules, referee, session, journal, pages. Only the cable is not: its lines come from `Hands`, and
time passes when the test says so, so that both worlds live through the same moments. What happens in one happens in the other: hands
move pieces, seats tap, strangers look. `differences` compares every address, every stream and every answer to a post.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import islice
from operator import and_
from pathlib import Path
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from naqala.dashboard import Settings, create_app
from naqala.dashboard.keys import load_keys
from naqala.dashboard.scene import FRAGMENTS
from naqala.dashboard.view import show
from naqala.dashboard.viewers import THE_SCREEN, Viewer
from naqala.journal import Journal
from naqala.link import Arrived, Health, LinkUp
from naqala.link.inbox import Inbox
from naqala.rules import notation, paths, piles, position
from naqala.rules.actions import Action, Place, Reveal, Sow
from naqala.rules.board import MEEPLES, TILES
from naqala.rules.breach import IllegalMove, InvalidAction
from naqala.rules.choices import legal
from naqala.rules.game import play
from naqala.rules.goods import in_order
from naqala.rules.model import Game
from naqala.session.commands import Answer, Command, Look, Resume
from naqala.session.session import Session
from naqala.table.pieces import CAMEL_COLOURS
from naqala.transcript import Piece
from naqala_protocol import Hello, Seen

READERS = dict(enumerate(TILES))
READER_OF = {tile: reader for reader, tile in READERS.items()}
OURS = {"Origin": "http://localhost"}
DROP_MS, REST_MS = 700, 12_000  # between two drops, and until all waiting of the referee has run out
# What differs between two browsers and two moments, whatever is on the table.
OWN = re.compile(r'(?P<what>name="csrf" value="|"at": ?|veil-oak-|@(?=\d)|owner\?token=)[\w.-]+')
# The owner's own words and files: a token, and the raw record of a table that did not begin with this position.
NOT_COMPARED = ("/owner", "/t/oak/transcript.txt")


class Hands:
    """Tagged pieces on thirty readers, and the link that tells of them: as many pieces of each kind as anybody may need."""

    def __init__(self, game: Game) -> None:
        self.clock = 1_000_000
        self._inbox: Inbox = lambda event: None
        self._seq = 0
        colours = dict(zip((player.name for player in game.players), CAMEL_COLOURS, strict=False))
        self._colours = colours
        box = Counter({Piece("meeple", letter): count for letter, count in MEEPLES.items()})
        box += Counter({Piece("camel", colour): 11 for colour in colours.values()})
        box += Counter({Piece("palm"): 12, Piece("palace"): 12})
        self.tags = {f"e004{number:012x}": piece for number, piece in enumerate(box.elements())}
        for number, printed in enumerate(game.tiles):
            self.tags[f"e005{number:012x}"] = Piece("tile", f"{printed.type} {printed.points}")
        self.on: dict[str, list[str]] = {tile: [f"e005{number:012x}"] for number, tile in enumerate(TILES)}
        self._aside = [tag for tag, piece in self.tags.items() if piece.kind != "tile"]
        self.lay(game, tell=False)

    # --- the link's side --------------------------------------------------------------------------------------

    def start(self, inbox: Inbox) -> None:
        self._inbox = inbox
        inbox(LinkUp(Hello(1, "oak", len(READERS), 0, 7, "1.0", ()), self.clock))
        for tile in TILES:
            self.show(tile)

    def send(self, message: Any) -> bool:
        return True

    def publish(self, snapshot: Mapping[str, Any]) -> None:
        """The broker's part is compared as what the screen may see."""

    def stop(self) -> None:
        self._inbox = lambda event: None

    def health(self) -> Health:
        return Health("test", True)

    # --- the hands' side --------------------------------------------------------------------------------------

    def show(self, tile: str) -> None:
        self._seq += 1
        self._inbox(Arrived(Seen(self._seq, READER_OF[tile], tuple(self.on[tile])), self.clock))

    def take(self, tile: str, piece: Piece, last: bool = False) -> str:
        found = [tag for tag in self.on[tile] if self.tags[tag] == piece]
        tag = found[-1 if last else 0]
        self.on[tile].remove(tag)
        self._aside.append(tag)
        return tag

    def put(self, tile: str, piece: Piece) -> None:
        tag = next(tag for tag in self._aside if self.tags[tag] == piece)
        self._aside.remove(tag)
        self.on[tile].append(tag)

    def lay(self, game: Game, tell: bool = True) -> None:
        """Whatever lies otherwise than in this game is put right."""
        wanted = {tile: self._pieces(printed) for tile, printed in zip(TILES, game.tiles, strict=True)}
        changed = set()
        for tile in TILES:
            there = Counter(self.tags[tag] for tag in self.on[tile] if self.tags[tag].kind != "tile")
            for piece in (there - wanted[tile]).elements():
                self.take(tile, piece)
                changed.add(tile)
        for tile in TILES:
            there = Counter(self.tags[tag] for tag in self.on[tile] if self.tags[tag].kind != "tile")
            for piece in (wanted[tile] - there).elements():
                self.put(tile, piece)
                changed.add(tile)
        for tile in sorted(changed) if tell else ():
            self.show(tile)

    def _pieces(self, printed: Any) -> Counter[Piece]:
        found = Counter(Piece("meeple", letter) for letter in printed.meeples)
        found += Counter({Piece("palm"): printed.palms, Piece("palace"): printed.palaces})
        return found + Counter([Piece("camel", self._colours[printed.camel])] if printed.camel else [])


class Patient(Session):
    """A session that is waited for: on a busy machine an answer may take long, and must not be another one because of it."""

    def tell(self, command: Command, timeout: float = 300.0) -> Answer:
        return super().tell(command, timeout)


class World:
    """One table with its pages, and browsers of everybody."""

    def __init__(self, folder: Path, game: Game) -> None:
        self.hands = Hands(game)
        self.journal = Journal.open(str(folder / "journal.sqlite"))
        settings = {"colours": list(CAMEL_COLOURS[: len(game.players)]), "cards": "physical", "help": True}
        self.journal.new_game("oak", position.to_json(game) | {"companion": settings}, at_ms=1_000)
        self.session = Patient(
            "oak",
            self.journal,
            self.hands,
            READERS,
            self.hands.tags,
            random.Random(5),
            clock=lambda: self.hands.clock,
            wakes=False,
        )
        self.session.start()
        assert self.session.tell(Resume("owner")).accepted
        self.app: Flask = create_app({"oak": self.session}, Settings(folder, journal=self.journal))
        self.app.testing = True  # all browsers have one address here, and no patience
        self.browsers: dict[str, FlaskClient] = {}
        owner = self.app.test_client()
        owner.get(f"/owner?token={load_keys(folder).owner}")
        for name in (player.name for player in game.players):
            self.browsers[name] = self.app.test_client()
            self.post(owner, "/t/oak/stand-up", name=name)  # the host lets the next phone in
            assert self.post(self.browsers[name], "/t/oak/sit", name=name)[1].endswith("/seat")
        self.browsers |= {"owner": owner, "spectator": self.app.test_client()}
        self.rest()

    @property
    def game(self) -> Game:
        found = self.session.snapshot.game
        assert isinstance(found, Game)
        return found

    def close(self) -> None:
        self.session.stop()
        self.journal.close()

    def rest(self, milliseconds: int = REST_MS) -> None:
        """Time passes, and with the answer everything that was said before has been taken in."""
        for _ in range(4):
            self.hands.clock += milliseconds // 4
            assert self.session.tell(Look("owner")).accepted

    def sow(self, sow: Sow) -> None:
        """A move by hand, drop by drop, and the scoop."""
        hands = self.hands
        for tag in [tag for tag in hands.on[sow.start] if hands.tags[tag].kind == "meeple"]:
            hands.take(sow.start, hands.tags[tag])
        hands.show(sow.start)
        for tile, letter in sow.drops:
            self.rest(DROP_MS)
            hands.put(tile, Piece("meeple", letter))
            hands.show(tile)
        self.rest(DROP_MS)
        end, letter = sow.drops[-1]
        while Piece("meeple", letter) in [hands.tags[tag] for tag in hands.on[end]]:
            hands.take(end, Piece("meeple", letter))
        hands.show(end)
        self.rest()

    def do(self, action: Action) -> tuple[int, str, str] | None:
        """A move by hands, which is told by a tap where they were not clear enough; anything else by a tap. Then the table follows."""
        before, told = self.game, None
        if isinstance(action, Sow):
            self.sow(action)
        if not isinstance(action, Sow) or self.game is before:
            told = self.tap(getattr(action, "player", None) or before.players[0].name, action)
        self.hands.lay(self.game)
        self.rest()
        return told

    def tap(self, by: str, action: Action) -> tuple[int, str, str]:
        told = json.dumps(notation.to_json(action))
        return self.post(self.browsers[by], "/t/oak/tap", step=str(self.session.snapshot.step), action=told)

    def post(self, client: FlaskClient, address: str, **fields: str) -> tuple[int, str, str]:
        """What came of it: status, where to go, and the sentence."""
        token = re.search(r'name="csrf" value="([^"]+)"', client.get("/t/oak/join").text)
        assert token
        data = {"csrf": token[1], **fields}
        answer = client.post(address, data=data, headers=OURS | {"Accept": "application/json"})
        said = json.loads(answer.text) if answer.is_json else {}
        return answer.status_code, str(said.get("go", answer.location or "")), str(said.get("say", ""))

    # --- what others get --------------------------------------------------------------------------------------

    def seen_by(self, who: str) -> Iterator[tuple[str, str]]:
        """Every address that answers this browser, with its answer; and the first message of every stream."""
        client = self.browsers[who]
        for address in addresses(self.app):
            answer = client.get(address)
            yield address, f"{answer.status_code} {answer.headers.get('Location', '')}\n{own(answer.text)}"
        for page in FRAGMENTS:
            yield f"stream/{page}", own(self._stream(client, f"/t/oak/stream/{page}"))

    def _stream(self, client: FlaskClient, address: str) -> str:
        answer = client.get(address, buffered=False)
        if answer.status_code != 200:
            return str(answer.status_code)
        said = ""
        for part in answer.response:
            said += part.decode() if isinstance(part, bytes) else str(part)
            if "\ndata: {" in said or "event: go" in said:
                break
        answer.close()
        return said

    def shown_to(self, who: str) -> str:
        """What the gate lets through to this viewer, with the number of the snapshot."""
        kinds = {"owner": Viewer("owner", owner=True), "spectator": Viewer("spectator"), "screen": THE_SCREEN}
        viewer = kinds.get(who) or Viewer("seat", who, (who,))
        return own(json.dumps(show(self.session.snapshot, viewer), sort_keys=True))


def own(text: str) -> str:
    return OWN.sub(r"\g<what>", text)


def addresses(app: Flask) -> list[str]:
    """Every address that answers a GET, filled in."""
    found = []
    for rule in app.url_map.iter_rules():
        if "GET" not in (rule.methods or ()) or rule.endpoint in ("static", "stream.stream"):
            continue
        address = rule.rule.replace("<table>", "oak")
        for field, value in (("<int:step>", "0"), ("<int:game_id>", "1"), ("tile/<name>", "tile/C3")):
            address = address.replace(field, value)
        if "<" not in address and not address.startswith(NOT_COMPARED):
            found.append(address)
    return found


class Both:
    """Two worlds in step. `secretive` is the player whose secrets differ; what that player gets is not compared."""

    def __init__(self, folder: Path, one: Game, other: Game, secretive: str, seed: int = 1) -> None:
        for name in ("one", "other"):
            (folder / name).mkdir()
        self.worlds = (World(folder / "one", one), World(folder / "other", other))
        self.secretive = secretive
        self.chance = random.Random(seed)
        self.compared = 0

    def close(self) -> None:
        for world in self.worlds:
            world.close()

    @property
    def others(self) -> list[str]:
        return [name for name in self.worlds[0].browsers if name != self.secretive]

    def each(self, do: Callable[[World], Any]) -> Any:
        """The same in both worlds; the answers must be the same, too."""
        one, other = map(do, self.worlds)
        assert one == other, f"answers differ: {one} and {other}"
        return one

    def differences(self, thoroughly: bool = False) -> list[str]:
        """What others can tell the worlds apart by."""
        found = []
        for who in [*self.others, "screen"]:
            one, other = (world.shown_to(who) for world in self.worlds)
            self.compared += len(one)
            if one != other:
                found.append(f"{who}: {first_difference(one, other)}")
        for who in self.others if thoroughly else ():
            for (address, one), (_, other) in zip(
                *(world.seen_by(who) for world in self.worlds), strict=True
            ):
                self.compared += len(one)
                if one != other:
                    found.append(f"{who} at {address}: {first_difference(one, other)}")
        return found

    def step(self) -> str:
        """Something that is legal in both worlds: by hands where hands do it, else by a tap. What it was."""
        action = anything([world.game for world in self.worlds], self.chance)
        self.each(lambda world: world.do(action))
        return type(action).__name__


def anything(games: Sequence[Game], chance: random.Random) -> Action:
    """An action that is legal in all of these games, which differ in secrets only."""
    one = games[0]
    if one.turn.phase == "sow":
        every = list(islice(paths.sowings(one.meeples), 3_000))
        if every:
            sowing = chance.choice(every)
            return Sow(str(one.turn.player), sowing.start, sowing.drops)
    if one.turn.phase == "reveal":
        return _turned_up(games, chance)
    open_now = [choice.action for choice in legal(one) if not choice.asks]
    common = [action for action in open_now if all(_is_legal(game, action) for game in games[1:])]
    calm = [action for action in common if not isinstance(action, Place)] or common
    return chance.choice(calm)


def _turned_up(games: Sequence[Game], chance: random.Random) -> Action:
    """Cards that lie in every pile: what is turned up is no secret, and the same everywhere."""
    kinds = (piles.RESOURCE_PILE, piles.DJINN_PILE)
    shared = [reduce(and_, (piles.pile(game, kind) for game in games)) for kind in kinds]
    missing = zip(shared, piles.missing(games[0]), strict=True)
    row, spirits = (tuple(chance.sample(sorted(pile.elements()), count)) for pile, count in missing)
    return Reveal(row, spirits)


def _is_legal(game: Game, action: Action) -> bool:
    try:
        play(game, action)
    except (IllegalMove, InvalidAction):
        return False
    return True


def first_difference(one: str, other: str) -> str:
    place = next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    around = slice(max(0, place - 60), place + 60)
    return f"...{one[around]!r} and ...{other[around]!r}"


def with_secrets(game: Game, name: str, goods: Sequence[str], fakirs: int, gold: int) -> Game:
    """The same game with another hand of the same size, and another purse."""
    player = game.player(name)
    return game.with_player(replace(player, goods=in_order(list(goods)), fakirs=fakirs, gold=gold))


def secret_hands(game: Game, name: str, chance: random.Random) -> tuple[Game, Game]:
    """Two games that differ in this player's gold, goods and fakirs, and in the pile that nobody sees."""
    player = game.player(name)
    size = max(len(player.goods) + player.fakirs, 4)
    free = piles.pile(game, piles.RESOURCE_PILE) + Counter(player.goods) + Counter({"fakir": player.fakirs})
    goods = sorted(card for card in free.elements() if card != "fakir")
    one = with_secrets(game, name, chance.sample(goods, size), 0, player.gold + 60)
    fakirs = min(2, free["fakir"])
    other = with_secrets(game, name, chance.sample(goods, size - fakirs), fakirs, player.gold + 97)
    return one, other
