"""Why a tap was refused, in words: the session's keys as sentences, a broken rule by its own sentence."""

from __future__ import annotations

from naqala.dashboard.flags import DIFFERS, RULES
from naqala.dashboard.language import N_, say
from naqala.rules.breach import Breach
from naqala.session.commands import Answer

WHY: dict[str, str] = {
    "stale": N_("The table has moved on. Look again, then tap."),
    "no_game": N_("No game is running."),
    "game_in_play": N_("A game is running. Give it up first."),
    "no_setup": N_("Nothing is being set up."),
    "players": N_("Two to four players with different names, please."),
    "layout_unknown": N_("Which tile is where isn't known yet."),
    "not_yours": N_("That isn't yours to do."),
    "nothing_asked": N_("There is nothing to answer any more."),
    "nothing_differs": N_("The table already matches the record."),
    "nothing_to_resume": N_("There is no game to resume."),
    "choose_a_djinn": N_("First choose which djinn is kept."),
    "reader_works": N_("This tile's reader works: what it sees counts."),
    "ask_for_undo": N_("Please use the undo button for that."),
    "stopped": N_("The companion stopped following. Start it again, then resume."),
    "slow": N_("The companion is still busy with this. Look again in a moment."),
    "journal": N_("This could not be written down, so it does not count. Is the disk full?"),
    "nothing_there": N_("This reader sees no tag."),
    "known_otherwise": N_("A tag on this reader is another piece already, or the box has no more of these."),
    "tags_not_kept": N_("The list of tags could not be written. Is the disk full?"),
    "no_coach": N_("This table plays without a coach."),
    "no_hints_left": N_("No more hints in this turn: the next one has its own."),
    "not_connected": N_("The table is not connected."),
    "cannot_tune": N_(
        "This controller cannot measure its coils. `naqala flash` puts a newer firmware on it."
    ),
    "invalid": N_("That isn't possible right now."),
    "no_tile_left": N_("All tiles of this kind are painted already. Erase one first, or choose another."),
    "no_meeple_left": N_(
        "All meeples of this tribe are painted already. Erase some first, or choose another."
    ),
    "tile_is_full": N_("Three meeples stand there already. Erase them first."),
    "nothing_to_take_back": N_("You have painted nothing that could be taken back."),
    "layout_open": N_("The board is not complete yet: every tile and three meeples on each."),
    "no_readers": N_("This table has no readers, or they are asked already."),
}


def refusal(answer: Answer) -> str:
    """The sentence for a refused command: every broken rule, or why it has no place now."""
    if answer.why == "illegal":
        return " ".join(_breach(breach) for breach in dict(answer.facts)["breaches"])
    return say(WHY[answer.why]) if answer.why in WHY else say("That was not accepted.")


def _breach(breach: Breach) -> str:
    title, rule = RULES.get(breach.rule, DIFFERS)
    return f"{say(title)}. {say(rule)}"
