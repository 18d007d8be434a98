"""The stations of the evening: what goes wrong at a table, and how people go on.

Each is a function of the people and of the action that comes next; True when that action was made on the way. `STATIONS`
says for which action a station is ready, so that the evening takes each as soon as the game gives an occasion.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator

from naqala.hands.table import BAG, HAND, before
from naqala.rules import actions as a
from naqala.rules.board import NEIGHBOURS, NUMBER
from naqala.rules.game import play
from naqala.rules.model import Game
from naqala.rules.paths import sowings
from naqala.rules.record import Record
from playwright.sync_api import Page, expect

from tests.evening.flags import followed, raised
from tests.evening.people import WAIT_MS, HandsOnThePage, People, drops_seen

# --- what the next action must be ---------------------------------------------------------------------------


def three_drops(record: Record, action: a.Action) -> bool:
    return isinstance(action, a.Sow) and len(action.drops) >= 3


def after_another(record: Record, action: a.Action) -> bool:
    """Somebody has ended a turn of this round."""
    return isinstance(action, a.Sow) and isinstance(record.actions[-1], a.End)


def three_tiles(record: Record, action: a.Action) -> bool:
    """Start, way and end are all different."""
    return (
        isinstance(action, a.Sow)
        and len(action.drops) >= 3
        and len({action.start, *(tile for tile, _ in action.drops)}) > len(action.drops)
    )


def a_lonely_end(record: Record, action: a.Action) -> bool:
    return isinstance(action, a.Sow) and len(action.drops) >= 2 and any(lonely(record.game, action))


def a_shorter_hand(record: Record, action: a.Action) -> bool:
    return isinstance(action, a.Sow) and len(action.drops) >= 3 and any(shorter(record.game, action))


def a_tile_is_won(record: Record, action: a.Action) -> bool:
    if not isinstance(action, a.Sow):
        return False
    game, end = record.game, action.drops[-1][0]
    return play(game, action)[0].tile(end).camel == action.player and game.tile(end).camel is None


def lonely(game: Game, sow: a.Sow) -> Iterator[str]:
    """Tiles next door to the last way where the last meeple finds nobody of its colour."""
    *others, (_, letter) = sow.drops
    way = [sow.start, *(tile for tile, _ in others)]
    for tile in NEIGHBOURS[way[-1]]:
        there = "" if tile == sow.start else game.tile(tile).meeples
        if tile != way[-2] and letter not in there and (tile, letter) not in others:
            yield tile


def shorter(game: Game, sow: a.Sow) -> Iterator[a.Sow]:
    """Sowings from the same tile that would be legal if one meeple, of another colour than the last, were not there."""
    there = game.tile(sow.start).meeples
    for left in sorted(set(there)):
        meeples = list(game.meeples)
        meeples[NUMBER[sow.start]] = there.replace(left, "", 1)
        for found in sowings(tuple(meeples)):
            if found.start == sow.start and sow.start not in found.path[1:] and left != found.drops[-1][1]:
                yield a.Sow(sow.player, found.start, found.drops)


# --- illegal drops ------------------------------------------------------------------------------------------


def not_next_door(people: People, sow: a.Sow) -> bool:
    """The second meeple goes diagonally."""
    people.begin(sow, 1)
    here = sow.drops[0][0]
    near = {tile for neighbour in NEIGHBOURS[here] for tile in NEIGHBOURS[neighbour]}
    diagonal = min(tile for tile in near if tile[0] != here[0] and tile[1] != here[1])
    raised(people, "drops_on_neighbours", in_hand(people, sow.drops[1][1]), diagonal)
    return repaired(people, sow, sow.drops[1][0])


def straight_back(people: People, sow: a.Sow) -> bool:
    """The second meeple goes back to where the hand came from; sooner it would look as if it had never been taken up."""
    people.begin(sow, 1)
    time.sleep(2.4)
    raised(people, "no_immediate_backtracking", in_hand(people, sow.drops[1][1]), sow.start)
    return repaired(people, sow, sow.drops[1][0])


def alone_in_its_colour(people: People, sow: a.Sow) -> bool:
    """The last meeple finds nobody of its colour."""
    game = people.game
    people.begin(sow, len(sow.drops) - 1)
    tile, letter = sow.drops[-1]
    raised(people, "ends_on_its_own_colour", in_hand(people, letter), next(lonely(game, sow)))
    return repaired(people, sow, tile)


def one_stays_behind(people: People, sow: a.Sow) -> bool:
    """A meeple is left on the start tile, and the move is ended as if it were whole. Mended, and then begun anew."""
    game, table = people.game, people.hands.table
    stood = {tag: table.where(tag) for tag in table.tags()}
    short = next(shorter(game, sow))
    for _, letter in short.drops:
        people.hands.move(table.at(sow.start, "meeple", letter)[:1], HAND)
    people.until(lambda state: len(state["reading"]["hand"]) == len(short.drops), "the hand")
    people.go_on(short, 0, len(short.drops))
    end, letter = short.drops[-1]
    raised(people, "takes_every_meeple", table.at(end, "meeple", letter), BAG)
    followed(people)
    put_back(people, stood)
    return people.act(sow)


def in_hand(people: People, letter: str) -> list[str]:
    return people.hands.table.at(HAND, "meeple", letter)[:1]


def repaired(people: People, sow: a.Sow, meant: str) -> bool:
    """What the flag says is done, and the move goes on as it was meant."""
    game = people.game
    followed(people, meant)
    done = len(sow.drops) - len(people.hands.table.at(HAND))
    people.until(lambda state: drops_seen(state) == done, "the repaired move")
    people.go_on(sow, done, len(sow.drops))
    people.scoop(sow)
    return people.recorded(sow, game)


def put_back(people: People, stood: dict[str, str]) -> None:
    """Everything to where it was before the move: nothing has happened."""
    for tag, spot in stood.items():
        if people.hands.table.where(tag) != spot:
            people.hands.move([tag], spot)
    people.settled()


# --- people -------------------------------------------------------------------------------------------------


def a_change_of_mind(people: People, sow: a.Sow) -> bool:
    """A move is half made and put back. The companion says nothing and has written nothing down."""
    table, written = people.hands.table, people.chronicle.next_number
    stood = {tag: table.where(tag) for tag in table.tags()}
    people.begin(sow, 2)
    put_back(people, stood)
    assert people.chronicle.next_number == written
    return False


def a_wrong_camel(people: People, sow: a.Sow) -> bool:
    """The tile is won, and somebody else's camel is put there."""
    game, end = people.game, sow.drops[-1][0]
    people.sow(sow)
    people.until(lambda state: people.game != game, "the move")
    other = next(colour for name, colour in people.colours.items() if name != sow.player)
    raised(people, "marks_control", people.hands.table.at(before(other), "camel")[-1:], end)
    followed(people)
    return people.recorded(sow, game)


def an_undo_by_consent(people: People, sow: a.Sow) -> bool:
    """The next player asks to take back the end of the turn before: the two others agree on their phones."""
    record = people.chronicle.record
    phone = people.phones[sow.player]
    phone.goto(f"{people.address}/log")
    phone.locator(f"a[href$='/log/{len(record.steps) - 1}']").click()
    with people.a_post(), phone.expect_response("**/undo"):
        phone.locator("button[name=to]").click()
    for name, other in people.phones.items():
        if name != sow.player:
            with people.a_post():
                other.locator("button[name=agreed][value=yes]").click(timeout=WAIT_MS)
    people.until(lambda state: len(people.chronicle.record.steps) < len(record.steps), "the undo")
    phone.goto(f"{people.address}/seat")
    assert people.game == record.at(len(record.steps) - 1)
    people.settled()
    return False


def a_phone_away(people: People, sow: a.Sow) -> bool:
    """A phone loses its connection, says so, misses a move, and has it as soon as it is back."""
    away = next(phone for name, phone in people.phones.items() if name != sow.player)
    step = away.locator("input[name=step]").first
    old = step.input_value()
    away.context.set_offline(True)
    expect(away.locator("#offline")).to_be_visible(timeout=WAIT_MS)
    people.act(sow)
    assert step.input_value() == old
    away.context.set_offline(False)
    expect(step).to_have_value(str(people.chronicle.next_number), timeout=WAIT_MS)
    expect(away.locator("#offline")).to_be_hidden(timeout=WAIT_MS)
    return True


# --- electronics --------------------------------------------------------------------------------------------


def a_dead_reader(people: People, sow: a.Sow) -> bool:
    """A reader on the way dies: its tile is told by taps, and the move is seen all the same."""
    game, dead = people.game, sow.drops[1][0]
    fault(people, "dead_reader", dead)
    expect(people.screen.locator("#health")).to_contain_text("1 reader silent", timeout=WAIT_MS)
    people.begin(sow, 1)
    people.hands.drop(*sow.drops[1])
    tell_the_tile(people, people.phones[sow.player], dead)
    people.until(lambda state: drops_seen(state) == 2, "the drop that was told")
    people.go_on(sow, 2, len(sow.drops))
    people.scoop(sow)
    people.recorded(sow, game)
    mended(people)
    return True


def tell_the_tile(people: People, phone: Page, tile: str) -> None:
    """What really lies there, on a phone."""
    phone.goto(f"{people.address}/tile/{tile}")
    for letter in "YWGBR":
        count = len(people.hands.table.at(tile, "meeple", letter))
        phone.locator(f"input[name='count.{letter}']").fill(str(count))
    with people.a_post(), phone.expect_response("**/enter"):
        phone.locator("main form button.first").click()
    phone.goto(f"{people.address}/seat")


def a_pulled_cable(people: People, sow: a.Sow) -> bool:
    """The cable is out while the hand goes on; put back in, the companion has the whole move."""
    game = people.game
    people.begin(sow, 1)
    fault(people, "cable_pulled")
    expect(people.screen.locator("#health")).to_contain_text("Table offline", timeout=WAIT_MS)
    for drop in sow.drops[1:]:
        people.hands.drop(*drop)
    mended(people)
    people.until(lambda state: drops_seen(state) == len(sow.drops), "the drops behind the cable")
    people.scoop(sow)
    return people.recorded(sow, game)


def table_page(people: People) -> Page:
    assert isinstance(people.hands, HandsOnThePage)
    return people.hands.page


def fault(people: People, kind: str, tile: str = "") -> None:
    """On the table's page: let it happen, until it is mended."""
    page = table_page(people)
    page.locator("#virtual-faults").evaluate("one => { one.open = true; }")
    page.locator("#fault-kind").select_option(kind)
    page.locator("#fault-tile").select_option(tile)
    page.locator("#virtual-faults input[name=lasting]").check()
    with people.a_post():
        page.get_by_role("button", name="Let it happen").click()


def mended(people: People) -> None:
    with people.a_post():
        table_page(people).get_by_role("button", name="Mend everything").click()
    expect(people.screen.locator("#health")).to_have_class("dot fine", timeout=WAIT_MS)


def a_power_cut(people: People, sow: a.Sow) -> bool:
    """SIGKILL, and a new start: nothing that was written is lost, every page comes back, the game is resumed."""
    written, house = people.chronicle, people.house
    house.end(signal.SIGKILL)
    viewers = (people.screen, *people.phones.values())
    for viewer in viewers:
        expect(viewer.locator("#offline")).to_be_visible(timeout=WAIT_MS)
    house.start()
    for viewer in viewers:
        expect(viewer.locator("#offline")).to_be_hidden(timeout=WAIT_MS)
    people.screen.goto(f"{people.address}/setup")
    with people.a_post():
        people.screen.get_by_role("button", name="Resume it").click()
    people.screen.wait_for_url("**/t/oak/")
    people.hands.after_a_power_cut()
    people.settled()
    assert people.chronicle == written
    return False


Station = Callable[[People, a.Sow], bool]
Ready = Callable[[Record, a.Action], bool]
STATIONS: dict[Station, Ready] = {
    a_wrong_camel: a_tile_is_won,
    an_undo_by_consent: after_another,
    not_next_door: three_drops,
    straight_back: three_drops,
    one_stays_behind: a_shorter_hand,
    alone_in_its_colour: a_lonely_end,
    a_power_cut: after_another,
    a_dead_reader: three_tiles,
    a_pulled_cable: three_tiles,
    a_phone_away: three_drops,
    a_change_of_mind: three_drops,
}
