"""The rest of a turn, as far as it can be seen: camels, palms, palaces, victims, djinns' pieces, and hands out of turn.

In: the game, the tracks that neither a sowing nor anything owed explains, and the prices of slips. Out: `Claim` values: what
could be said, and by how much it would be cheaper than a slip of a reader. Pieces of different kinds are claimed each for
itself, so that a palm put where it is due is not made doubtful by another one that is only read at the edge of the board.
What is legal is asked of `rules.game.play`; which djinns put pieces down stands in the rules' own table of djinns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from naqala.rules.actions import Action, Place, Power
from naqala.rules.board import TILES
from naqala.rules.breach import Breach
from naqala.rules.djinns import DJINNS
from naqala.rules.model import Game, in_tribe_order
from naqala.rules.powers import payments
from naqala.rules.tiles import asked_for
from naqala.table import remedy
from naqala.table.claim import Claim, Rest, counted, did_or_ask, flag, legal
from naqala.table.noise import FREE, Cost, Noise
from naqala.table.pieces import CAMEL, MEEPLE, PALACE, PALM
from naqala.table.readings import Remedy, Unclear, Wrong
from naqala.table.tracks import Track
from naqala.table.victims import meeples_out_of_place
from naqala.transcript import Piece


def claims(rest: Rest, sowing: bool) -> list[Claim]:
    """What the pieces may say; while a sowing is due or being made the meeples are its affair, those from the bag apart."""
    found = [*_camels(rest), *_palms_and_palaces(rest), *_from_the_bag(rest), *_vanished(rest)]
    if not sowing:
        found += meeples_out_of_place(rest)
    return found


# --- asking the rules ---------------------------------------------------------------------------------------


def _by_power(game: Game, kind: str, fill: Callable[[Power], Power]) -> list[Action]:
    """The paid djinns of the player that can have done this, each in every way of paying."""
    player = game.turn.player
    if player is None:
        return []
    tries = [
        fill(Power(player, djinn, elders, fakirs))
        for djinn in game.player(player).djinns
        if (power := DJINNS[djinn].power) is not None
        and (power.places == kind or (kind == MEEPLE and power.draws == "meeples"))
        for elders, fakirs in payments(game, player, djinn)
    ]
    return legal(game, tries)[0]


def _on(tile: str, meeples: str = "") -> Callable[[Power], Power]:
    """A power aimed at a tile."""
    return lambda power: replace(power, tile=tile, meeples=meeples)


def _asked(actions: list[Action], gap: Cost, noise: Noise, tracks: Sequence[Track]) -> Claim:
    """A djinn's piece was put down and nobody has told the djinn: people say whether that was it, and how it was paid."""
    question = Unclear(actions=tuple(actions))
    prices = noise.prices
    return Claim(question, gap.price - prices.power, gap.rate, prices.sure_of_a_flag, tuple(tracks))


# --- camels -------------------------------------------------------------------------------------------------


def _camels(rest: Rest) -> Iterator[Claim]:
    """A camel where none is due: a djinn's, or a mistake."""
    for track in rest.arrived(CAMEL):
        tile = track.places[-1].tile
        if tile in rest.noise.silent:
            continue
        slip = rest.slip(track)
        allowed: list[Action] = []
        if track.piece.which == rest.game.turn.player and track.home is None:
            allowed = _by_power(rest.game, CAMEL, _on(tile))
        if allowed:
            yield _asked(allowed, slip, rest.noise, [track])
            continue
        owed = [other for (other, piece) in rest.owed if piece == track.piece]
        breach = Breach("marks_control", tiles=(tile,))
        surplus = _moved(track, tile) | {(other, track.piece): -1 for other in owed[:1]}
        wrong = Wrong((breach,), remedy.of_difference(surplus))
        yield flag(wrong, *_mistake(rest, track, tile), rest.noise)


def _mistake(rest: Rest, track: Track, tile: str) -> tuple[Cost, float]:
    """What it costs that a piece is only read on a tile, and that it was put there by mistake. A reader slips anywhere on the
    board, hands err where a piece is owed."""
    prices, slip = rest.noise.prices, rest.slip(track)
    owed = {other for other, _ in rest.owed}
    if asked_for(rest.game) and rest.game.turn.tile:
        owed.add(rest.game.turn.tile)
    if tile in owed:
        return slip.plus(Cost(math.log(len(TILES)))), prices.wrong_piece
    near = bool(owed) or track.home is not None
    return slip, prices.misplaced if near else prices.unasked


def _vanished(rest: Rest) -> Iterator[Claim]:
    """Camels, palms and palaces that stood on the board and are read nowhere."""
    gone = [
        t
        for t in rest.moved
        if t.piece.kind != MEEPLE
        and t.home is not None
        and not t.back
        and not t.places
        and t.left is not None
    ]
    if gone:
        way = remedy.of_difference(counted(gone))
        yield flag(Wrong((), way), rest.absence(gone), rest.noise.prices.unasked, rest.noise)


def _moved(track: Track, tile: str) -> dict[tuple[str, Piece], int]:
    found = {(tile, track.piece): 1}
    if track.home is not None:
        found[track.home, track.piece] = -1
    return found


# --- palms and palaces --------------------------------------------------------------------------------------


def _palms_and_palaces(rest: Rest) -> Iterator[Claim]:
    game, prices = rest.game, rest.noise.prices
    asked, player = asked_for(game), game.turn.player
    for track in rest.arrived(PALM, PALACE):
        tile, what = track.places[-1].tile, track.piece.kind
        slip = rest.slip(track)
        if (
            game.turn.phase in ("build", "kill")
            and asked == what
            and track.home is None
            and tile == game.turn.tile
        ):
            continue  # placed before the tribe's action was told: it is read when the tile's turn comes
        allowed: list[Action] = []
        refused: tuple[Breach, ...] = ()
        powers: list[Action] = []
        if player is not None and track.home is None:
            allowed, refused = legal(game, [Place(player, what, tile)])
            powers = _by_power(game, what, _on(tile))
        if allowed:
            yield did_or_ask(allowed, slip, prices.owed, rest.noise, [track])
        elif powers:
            yield _asked(powers, slip, rest.noise, [track])
        else:
            details = (("asked", asked),)
            found = refused or (Breach("places_what_the_tile_asks", tiles=(tile,), details=details),)
            wrong = Wrong(found, _placement_way(game, track, tile))
            yield flag(wrong, *_mistake(rest, track, tile), rest.noise)


def _placement_way(game: Game, track: Track, tile: str) -> Remedy:
    """A piece on the wrong tile goes to the tile that asked for it; another piece goes away, and what is owed comes."""
    surplus, asked = _moved(track, tile), asked_for(game)
    if asked and game.turn.phase == "tile" and track.home is None:
        surplus[str(game.turn.tile), Piece(asked)] = -1
    return remedy.of_difference(surplus)


# --- meeples from the bag -----------------------------------------------------------------------------------


def _from_the_bag(rest: Rest) -> Iterator[Claim]:
    """Meeples that were not on the board: Anun-Nak's, or some that have no business there."""
    game, prices = rest.game, rest.noise.prices
    there: dict[str, list[Track]] = {}
    for track in rest.arrived(MEEPLE):
        if track.home is None:
            there.setdefault(track.places[-1].tile, []).append(track)
    for tile, group in there.items():
        letters = in_tribe_order("".join(track.piece.which for track in group))
        slip = FREE
        for track in group:
            slip = slip.plus(rest.slip(track))
        allowed = _by_power(
            game,
            MEEPLE,
            _on(tile, letters),
        )
        if allowed:
            yield _asked(allowed, slip, rest.noise, group)
        else:
            way = remedy.of_difference(
                {(tile, track.piece): letters.count(track.piece.which) for track in group}
            )
            yield flag(Wrong((), way), slip, prices.unasked, rest.noise)
