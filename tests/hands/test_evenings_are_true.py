"""Generated evenings are what they say: the pieces lie as the record has them, slips break the rule they name."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from naqala import transcript
from naqala.hands import truth
from naqala.hands.evening import Evening, evening
from naqala.hands.noise import LEVELS
from naqala.hands.slips import SLIPS
from naqala.hands.styles import STYLES
from naqala.rules.actions import Sow
from naqala.rules.board import NUMBER, TILES
from naqala.rules.model import Game
from naqala.rules.position import from_json
from naqala.transcript import Piece

SEEDS = range(6)


def wanted(game: Game) -> Counter[tuple[str, Piece]]:
    """What a record has on the board."""
    found: Counter[tuple[str, Piece]] = Counter()
    for name, tile in zip(TILES, game.tiles, strict=True):
        found[name, Piece("tile", name)] += 1
        found.update((name, Piece("meeple", letter)) for letter in tile.meeples)
        found.update({(name, Piece("palm")): tile.palms, (name, Piece("palace")): tile.palaces})
        if tile.camel:
            found[name, Piece("camel", tile.camel)] += 1
    return +found


def stands(made: Evening, at_ms: int) -> Counter[tuple[str, Piece]]:
    """What can be read on the board at a moment."""
    now = dict(made.first)
    now |= {change.tag: change for change in made.changes if change.at_ms <= at_ms}
    return Counter((one.tile, made.pieces[tag]) for tag, one in now.items() if one.tile in NUMBER)


@pytest.mark.parametrize("level", LEVELS)
def test_after_each_turn_the_pieces_lie_as_the_record_has_them(level: str) -> None:
    for seed in SEEDS:
        made = evening(seed, level)
        assert stands(made, 0) == wanted(made.opening)
        for turn in made.turns:
            assert turn.game and stands(made, turn.ended_ms) == wanted(turn.game), (seed, turn.player)


@pytest.mark.parametrize("level", LEVELS)
def test_an_evening_is_a_transcript_of_its_own_position(level: str) -> None:
    made = evening(7, level)
    recorded = transcript.read(made.text)
    assert from_json(dict(recorded.position or {})) == made.opening
    assert recorded.tags == made.pieces
    assert len(recorded.readers) == len(TILES)
    assert evening(7, level) == made


@pytest.mark.long
def test_every_style_slip_trouble_and_kind_of_action_occurs() -> None:
    evenings = [evening(seed, "many") for seed in range(150)]
    deeds = [deed for made in evenings for turn in made.turns for deed in turn.deeds]
    assert {deed.how for deed in deeds if isinstance(deed.action, Sow)} >= set(STYLES)
    assert {one.slip for made in evenings for one in made.illegal} >= set(SLIPS)
    assert {trouble.kind for made in evenings for trouble in made.troubles} >= {
        "leak", "ghost", "hover", "bump", "stuck", "dead", "reboot",
    }  # fmt: skip
    assert {type(deed.action).__name__ for deed in deeds} >= {
        "Bid", "Sow", "Build", "Kill", "Place", "Buy", "Summon", "Power", "Sell", "End",
    }  # fmt: skip
    assert {turn.pace for made in evenings for turn in made.turns} == {"slow", "brisk", "quick"}
    assert {len(made.opening.players) for made in evenings} == {2, 3, 4}


def test_the_truth_is_read_back_from_the_lines_of_its_file() -> None:
    made = evening(3, "moderate")
    lines = "\n".join((*truth.write(made.turns), made.text))
    assert truth.read(lines) == tuple(replace(turn, game=None) for turn in made.turns)
    assert transcript.read(lines) == transcript.read(made.text)
    assert truth.read(made.text) == ()
    for wrong in ("#truth {", '#truth {"did": {}, "from": 1, "to": 2}', '#truth {"turn": 1}'):
        with pytest.raises(ValueError, match="line 1: not a line of truth"):
            truth.read(wrong)


def test_half_of_the_evenings_come_from_a_controller_that_says_where_it_looked() -> None:
    said = [" looked " in evening(seed, "human").text for seed in range(6)]
    assert said == [True, False] * 3
