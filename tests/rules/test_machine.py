"""Random legal games, step by step, by Hypothesis: nothing is lost, everything can be written down and undone."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from naqala.robots import wanderer
from naqala.rules import IllegalMove, InvalidAction, notation, play, position
from naqala.rules import actions as a
from naqala.rules import events as e
from naqala.rules import record as r
from naqala.rules.board import MEEPLES
from naqala.rules.choices import filled, legal
from naqala.rules.evolve import evolve
from naqala.rules.goods import FAKIR, RESOURCES
from naqala.rules.model import Game
from naqala.rules.opening import dealt
from naqala.simulate import any_switches

from tests.rules.test_notation import ACTIONS

NAMES = ("Ann", "Bob", "Cy", "Dee")
# Everything that may bring gold or take it.
CAUSES = {"bid", "builders", "small_market", "large_market", "sale"} | {
    "Ba'al",
    "Marid",
    "Monkir",
    "Nekir",
    "Kandicha",
    "Dhenim",
}


class Table(RuleBasedStateMachine):
    """People at a table who do whatever the rules allow, and some things they do not."""

    record: r.Record
    hidden: Counter[str]  # the resource pile, followed card by card without the engine's own sums

    @initialize(seed=st.integers(0, 10**6), players=st.integers(2, 4), ahead=st.integers(0, 120))
    def open(self, seed: int, players: int, ahead: int) -> None:
        dice = Random(seed)
        self.record = r.Record(dealt(NAMES[:players], dice.randrange, switches=any_switches(dice)))
        self.hidden = Counter(RESOURCES) - Counter(self.record.opening.row)
        for _ in range(ahead):
            if self.game.turn.phase != "over":
                self.do(wanderer(self.game, dice))

    @property
    def game(self) -> Game:
        return self.record.game

    def do(self, action: a.Action) -> None:
        before = self.game
        self.record = r.append(self.record, action)
        folded = before
        for event in self.record.steps[-1].events:
            folded = evolve(folded, event)
            self.follow(before, event)
        assert folded == self.game  # the events tell everything

    def follow(self, before: Game, event: e.Event) -> None:
        """Keep the pile as a person would who counts cards."""
        if isinstance(event, e.CardDrawn):
            self.hidden[event.card] -= 1
        elif isinstance(event, e.Revealed):
            self.hidden.subtract(event.row)
        elif isinstance(event, e.Reshuffled) and event.pile == "resources":
            assert not +self.hidden
            paid = [ev for ev in self.record.steps[-1].events if isinstance(ev, e.Spent)]
            self.hidden = Counter(before.discards) + Counter({FAKIR: sum(ev.fakirs for ev in paid)})
        elif isinstance(event, e.GoldMoved):
            assert event.cause in CAUSES

    @precondition(lambda self: self.game.turn.phase != "over")
    @rule(data=st.data())
    def act(self, data: Any) -> None:
        choice = data.draw(st.sampled_from(legal(self.game)))
        self.do(filled(self.game, choice, lambda most: int(data.draw(st.integers(0, most - 1)))))

    @rule(action=ACTIONS)
    def try_anything(self, action: a.Action) -> None:
        before = self.game
        try:
            play(self.game, action)
        except IllegalMove as refused:
            assert refused.breaches
        except InvalidAction as refused:
            assert str(refused)
        assert self.game is before

    @precondition(lambda self: self.record.steps)
    @rule(data=st.data())
    def undo(self, data: Any) -> None:
        to = data.draw(st.integers(max(0, len(self.record.steps) - 12), len(self.record.steps)))
        back = r.append(self.record, a.Undo(to, NAMES[0]))
        again = r.Record(self.record.opening)
        for action in self.record.actions[:to]:
            again = r.append(again, action)
        assert back.game == again.game
        assert back.actions == again.actions

    @invariant()
    def ninety_meeples(self) -> None:
        held = {"Y": "viziers", "W": "elders"}
        lie = Counter("".join(self.game.meeples) + self.game.bag)
        for letter, field in held.items():
            lie[letter] += sum(getattr(player, field) for player in self.game.players)
        assert lie == MEEPLES

    @invariant()
    def every_card_is_somewhere(self) -> None:
        cards = Counter(self.game.row + self.game.discards) + +self.hidden
        for player in self.game.players:
            cards.update(player.goods)
            cards[FAKIR] += player.fakirs
        assert cards == RESOURCES
        held = [djinn for player in self.game.players for djinn in player.djinns]
        seen = [*held, *self.game.djinn_row, *self.game.djinn_discards]
        assert len(seen) == len(set(seen))

    @invariant()
    def camels_palms_and_palaces(self) -> None:
        each = 11 if len(self.game.players) == 2 else 8
        for player in self.game.players:
            assert player.camels + sum(tile.camel == player.name for tile in self.game.tiles) == each
        assert self.game.palms + sum(tile.palms for tile in self.game.tiles) == 12
        assert self.game.palaces + sum(tile.palaces for tile in self.game.tiles) == 10

    @invariant()
    def every_coin_has_its_cause(self) -> None:
        gold = {player.name: 50 for player in self.game.players}
        for told in self.record.told():
            if isinstance(told.event, e.GoldMoved):
                gold[told.event.player] += told.event.amount
        assert gold == {player.name: player.gold for player in self.game.players}
        assert min(gold.values()) >= 0

    @invariant()
    def every_position_can_be_written_down(self) -> None:
        assert position.from_text(position.to_text(self.game)) == self.game
        if self.record.steps:
            last = self.record.steps[-1].action
            assert notation.from_text(notation.to_text(last)) == last
            assert notation.from_json(notation.to_json(last)) == last

    def teardown(self) -> None:
        if hasattr(self, "record"):
            again = r.read(r.to_text(self.record))
            assert again == self.record


TestTable = Table.TestCase
TestTable.settings = settings(
    max_examples=25, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
)
