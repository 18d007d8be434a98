"""One action being told: each event is folded into the game at once, and what follows by itself follows."""

from __future__ import annotations

from collections.abc import Iterable

from naqala.rules import djinns
from naqala.rules import events as e
from naqala.rules.actions import Action
from naqala.rules.breach import Breach, IllegalMove
from naqala.rules.evolve import evolve
from naqala.rules.model import Game


class Telling:
    """The game while one action is being told: each event is folded in at once, and djinns answer to it."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.events: list[e.Event] = []

    def tell(self, event: e.Event) -> None:
        """Let an event happen, with everything that follows from it by itself."""
        self.game = evolve(self.game, event)
        self.events.append(event)
        for answer in djinns.reactions(self.game, event):
            self.tell(answer)
        if isinstance(event, e.Controlled) and not self.game.player(event.player).camels:
            self.end_is_near("last_camel", event.player)

    def end_is_near(self, ending: str, player: str | None) -> None:
        """The first reason to end is the one that counts."""
        if self.game.ending is None:
            self.tell(e.EndNear(ending, player))

    def phase(self, phase: str) -> None:
        """Go on within the turn."""
        self.tell(e.PhaseBegun(phase, self.game.turn.player))


def refuse(action: Action, *found: Iterable[Breach]) -> None:
    """Raise IllegalMove with every breach, if there is any."""
    breaches = tuple(breach for some in found for breach in some)
    if breaches:
        raise IllegalMove(breaches, action)
