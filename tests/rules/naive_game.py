"""A second reading of the rules, written apart and on purpose plainly: one class that changes, no tables, no events.

It shares no code with the engine and imports none of it. It takes an opening position and actions as JSON, asserts
that each is allowed, and keeps the game; the tests compare it with the engine after every action. Draws are believed
only if the card can be there: it keeps its own piles.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

DECK = {
    "ivory": 2,
    "jewels": 2,
    "gold": 2,
    "papyrus": 4,
    "silk": 4,
    "spice": 4,
    "fish": 6,
    "wheat": 6,
    "pottery": 6,
    "fakir": 18,
}
SPIRITS = {
    "Al-Amin": 5, "Anun-Nak": 8, "Ba'al": 6, "Boaz": 6, "Bouraq": 6, "Echidna": 4, "Enki": 8, "Hagis": 10,
    "Haurvatat": 8, "Iblis": 8, "Jafaar": 6, "Kandicha": 6, "Kumarbi": 6, "Lamia": 10, "Leta": 4, "Marid": 6,
    "Monkir": 6, "Nekir": 6, "Shamhat": 6, "Sibittis": 4, "Sloar": 8, "Utug": 4, "Dhenim": 6,
}  # fmt: skip
PRICES = [0, 1, 3, 5, 8, 12, 18]
WORTH = [0, 1, 3, 7, 13, 21, 30, 40, 50, 60]
BLUE = ("village", "sacred_place")
TWO = [(2, 0), (1, 1)]
ONE = [(1, 0), (0, 1)]
COSTS = {
    "Anun-Nak": ONE, "Bouraq": ONE, "Enki": ONE, "Hagis": ONE, "Iblis": ONE, "Lamia": ONE, "Sloar": [(0, 1)],
    "Echidna": TWO, "Leta": TWO, "Sibittis": TWO, "Utug": TWO,
}  # fmt: skip


def step(one: str, other: str) -> tuple[int, int]:
    return abs(ord(one[0]) - ord(other[0])), abs(int(one[1]) - int(other[1]))


class NaiveGame:
    """The game as plain lists and dicts, in the shape of a position."""

    def __init__(self, opening: dict[str, Any]) -> None:
        self.switch = {
            "djinn_once_per": "round",
            "anun_nak_short_bag": "draw_what_there_is",
            "lamia_hagis_scope": "any_placement",
            "kandicha_feeds_nekir": "no",
            "large_market_take_one": "no",
            "promo_dhenim": "off",
        } | opening["switches"]
        self.tiles = {
            name: dict(tile, meeples=list(tile["meeples"])) for name, tile in opening["tiles"].items()
        }
        self.players = {
            p["name"]: dict(p, djinns=list(p["djinns"]), goods=Counter(p["goods"]))
            for p in opening["players"]
        }
        self.names = list(self.players)
        self.used: set[tuple[str, str]] = set()
        self.bag: list[str] = list(opening["bag"])
        self.row: list[str] = list(opening["row"])
        self.spirits: list[str] = list(opening["djinn_row"])
        self.palms, self.palaces = opening["supply"]["palms"], opening["supply"]["palaces"]
        self.pile = Counter(DECK) - Counter(self.row)
        self.thrown: Counter[str] = Counter()
        there = [name for name in SPIRITS if name != "Dhenim" or self.switch["promo_dhenim"] != "off"]
        self.spirit_pile = [name for name in there if name not in self.spirits]
        self.spirits_thrown: list[str] = []
        self.to_bid = list(opening["bid_order"])
        self.zeros: list[str] = []  # the last to come stands first
        self.paying: dict[int, str] = {}
        self.played: list[str] = []
        self.player: str | None = self.to_bid[0]
        self.phase = "bid"
        self.end_tile, self.group, self.active = "", "", set[str]()
        self.ending: str | None = None

    # --- small things ---------------------------------------------------------------------------------------

    def holder(self, djinn: str) -> str | None:
        return next((name for name, p in self.players.items() if djinn in p["djinns"]), None)

    def reward(self, djinn: str, doer: str, times: int = 1) -> None:
        owner = self.holder(djinn)
        if owner:
            self.players[owner]["gold"] += times * (1 if owner == doer else 2)

    def spend(self, name: str, elders: int, fakirs: int) -> None:
        p = self.players[name]
        assert p["elders"] >= elders
        assert p["fakirs"] >= fakirs
        p["elders"] -= elders
        p["fakirs"] -= fakirs
        self.bag += ["W"] * elders
        self.thrown["fakir"] += fakirs

    def receive(self, name: str, card: str) -> None:
        if card == "fakir":
            self.players[name]["fakirs"] += 1
        else:
            self.players[name]["goods"][card] += 1

    def draw(self, card: str) -> str:
        if not sum(self.pile.values()):
            self.pile, self.thrown = self.thrown, Counter()
        assert self.pile[card] > 0, card
        self.pile[card] -= 1
        return card

    def draw_spirit(self, djinn: str) -> str:
        if not self.spirit_pile:
            self.spirit_pile, self.spirits_thrown = self.spirits_thrown, []
        self.spirit_pile.remove(djinn)
        return djinn

    def blue(self, tile: str) -> int:
        return sum(self.tiles[t]["type"] in BLUE for t in self.tiles if max(step(t, tile)) <= 1)

    def claim(self, name: str, tile: str) -> None:
        if self.players[name]["camels"] and self.tiles[tile]["camel"] is None:
            self.tiles[tile]["camel"] = name
            self.players[name]["camels"] -= 1
            if not self.players[name]["camels"]:
                self.ending = self.ending or "last_camel"

    def can_sow(self) -> bool:
        """Some hand can be dropped legally; tried drop by drop, meeples of a colour alike."""
        return any(tile["meeples"] and self.search(name) for name, tile in self.tiles.items())

    def search(self, start: str) -> bool:
        lies = {name: Counter(tile["meeples"]) for name, tile in self.tiles.items()}
        hand = Counter(lies[start])
        lies[start] = Counter()

        def drop(here: str, before: str) -> bool:
            for there in self.tiles:
                if sum(step(here, there)) != 1 or there == before:
                    continue
                for colour in [colour for colour, count in hand.items() if count]:
                    hand[colour] -= 1
                    ends = not sum(hand.values())
                    fits = lies[there][colour] > 0
                    lies[there][colour] += 1
                    found = fits if ends else drop(there, here)
                    lies[there][colour] -= 1
                    hand[colour] += 1
                    if found:
                        return True
            return False

        return drop(start, "")

    # --- the actions ----------------------------------------------------------------------------------------

    def do(self, action: dict[str, Any]) -> None:
        assert action.get("player") == (None if action["do"] == "reveal" else self.player)
        getattr(self, "do_" + action["do"])(action)

    def do_bid(self, action: dict[str, Any]) -> None:
        assert self.phase == "bid"
        name, spot, fakirs = action["player"], action["spot"], action["fakirs"]
        p = self.players[name]
        free = ([0] if len(self.zeros) < 3 else []) + [s for s in PRICES[1:] if s not in self.paying]
        assert spot in free
        if fakirs:
            assert "Kumarbi" in p["djinns"]
            assert (name, "Kumarbi") not in self.used
            if self.switch["djinn_once_per"] == "round":
                self.used.add((name, "Kumarbi"))
            self.spend(name, 0, fakirs)
        price = PRICES[max(0, PRICES.index(spot) - fakirs)]
        if price > p["gold"]:
            assert min(free) > p["gold"]
            assert spot == min(free)
            price = p["gold"]
        p["gold"] -= price
        if spot:
            self.paying[spot] = name
        else:
            self.zeros.insert(0, name)
        self.to_bid.pop(0)
        self.player = self.to_bid[0] if self.to_bid else None
        if not self.to_bid:
            self.next_turn()

    def next_turn(self) -> None:
        self.player = self.paying.pop(max(self.paying)) if self.paying else self.zeros.pop(0)
        self.played.append(self.player)
        self.phase, self.end_tile, self.group, self.active = "sow", "", "", set()
        if self.switch["djinn_once_per"] == "marker":
            self.used = {(name, djinn) for name, djinn in self.used if name != self.player}
        if not self.can_sow():
            self.ending = self.ending or "no_sowing"

    def do_sow(self, action: dict[str, Any]) -> None:
        assert self.phase == "sow"
        name, start, drops = action["player"], action["start"], action["drops"]
        hand = self.tiles[start]["meeples"]
        assert hand
        assert sorted(hand) == sorted(letter for _, letter in drops)
        self.tiles[start]["meeples"] = []
        here, before = start, ""
        for number, (tile, letter) in enumerate(drops):
            assert sum(step(here, tile)) == 1
            assert tile != before
            if number == len(drops) - 1:
                assert letter in self.tiles[tile]["meeples"]
            self.tiles[tile]["meeples"].append(letter)
            if self.tiles[tile]["camel"] and self.tiles[tile]["camel"] == self.holder("Marid"):
                self.reward("Marid", name)
            here, before = tile, here
        lies = self.tiles[here]["meeples"]
        colour = drops[-1][1]
        count = lies.count(colour)
        self.tiles[here]["meeples"] = [letter for letter in lies if letter != colour]
        self.end_tile, self.group = here, colour * count
        if not self.tiles[here]["meeples"]:
            self.claim(name, here)
        if colour == "Y":
            self.players[name]["viziers"] += count
            self.reward("Dhenim", name, count if self.switch["promo_dhenim"] == "per_vizier" else 1)
        elif colour == "W":
            self.players[name]["elders"] += count
        else:
            self.bag += [colour] * count
        if colour == "G":
            for _ in range(min(count, len(self.row))):
                self.receive(name, self.row.pop(0))
        self.phase = {"B": "build", "R": "kill"}.get(colour, "tile")

    def do_pass(self, action: dict[str, Any]) -> None:
        assert self.phase == "sow"
        assert not self.can_sow()
        self.phase = "end"

    def do_build(self, action: dict[str, Any]) -> None:
        assert self.phase == "build"
        self.spend(action["player"], 0, action["fakirs"])
        gold = (len(self.group) + action["fakirs"]) * self.blue(self.end_tile)
        self.players[action["player"]]["gold"] += gold * (2 if "Echidna" in self.active else 1)
        self.phase = "tile"

    def do_kill(self, action: dict[str, Any]) -> None:
        assert self.phase == "kill"
        name, victims, fakirs = action["player"], action["victims"], action["fakirs"]
        self.spend(name, 0, fakirs)
        reach = len(self.group) + fakirs
        near = [t for t in self.tiles if sum(step(t, self.end_tile)) <= reach and self.tiles[t]["meeples"]]
        open_to = [n for n in self.names if n != name and "Boaz" not in self.players[n]["djinns"]]
        open_to = [n for n in open_to if self.players[n]["viziers"] + self.players[n]["elders"]]
        told = action.get("card", [])
        cards = [told] if isinstance(told, str) else list(told)
        if not victims:
            assert not near
            assert not open_to
        else:
            self.strike(name, victims, near, open_to, cards)
        assert not cards
        self.phase = "tile"

    def strike(
        self, name: str, victims: list[Any], near: list[str], open_to: list[str], cards: list[str]
    ) -> None:
        at_most = 2 if "Iblis" in self.active else 1
        places = {(v.get("tile"), v.get("player")) for v in victims}
        assert len(places) == 1
        tile, other = places.pop()
        assert tile in near or other in open_to
        p = self.players
        number = len(self.tiles[tile]["meeples"]) if tile else p[other]["viziers"] + p[other]["elders"]
        assert len(victims) == min(at_most, number)
        spoils, dead = "Kandicha" in p[name]["djinns"], 0
        for victim in victims:
            letter = victim["meeple"]
            if tile:
                self.tiles[tile]["meeples"].remove(letter)
            else:
                kind = {"Y": "viziers", "W": "elders"}[letter]
                assert p[other][kind] > 0
                p[other][kind] -= 1
            if spoils and letter in "YW":
                p[name]["viziers" if letter == "Y" else "elders"] += 1
                if letter == "Y":
                    self.reward("Dhenim", name)
                continue
            dead += 1
            self.bag.append(letter)
            if spoils and letter == "B":
                p[name]["gold"] += self.blue(tile)
            if spoils and letter == "G" and (sum(self.pile.values()) or sum(self.thrown.values())):
                self.receive(name, self.draw(cards.pop(0)))
        if tile and not self.tiles[tile]["meeples"]:
            self.claim(name, tile)
        if dead or self.switch["kandicha_feeds_nekir"] == "yes":
            self.reward("Nekir", name)

    def owed(self) -> str | None:
        kind = self.tiles[self.end_tile]["type"] if self.end_tile and self.phase != "end" else None
        if kind == "oasis" and self.palms:
            return "palm"
        return "palace" if kind == "village" and self.palaces else None

    def put(self, name: str, what: str, tile: str) -> None:
        if what == "palm":
            assert self.palms
            self.palms -= 1
            self.tiles[tile]["palms"] += 1
        else:
            assert self.palaces
            self.palaces -= 1
            self.tiles[tile]["palaces"] += 1
            self.reward("Monkir", name)

    def do_place(self, action: dict[str, Any]) -> None:
        assert self.phase == "tile"
        assert self.owed() == action["what"]
        helper = "Lamia" if action["what"] == "palm" else "Hagis"
        assert max(step(action["tile"], self.end_tile)) <= (1 if helper in self.active else 0)
        self.active.discard(helper)
        self.put(action["player"], action["what"], action["tile"])
        self.phase = "end"

    def do_buy(self, action: dict[str, Any]) -> None:
        assert self.phase == "tile"
        kind = self.tiles[self.end_tile]["type"]
        price, first, number = {"small_market": (3, 3, 1), "large_market": (6, 6, 2)}[kind]
        number = min(number, len(self.row))
        cards = action["cards"]
        assert len(cards) == number or (self.switch["large_market_take_one"] == "yes" and len(cards) == 1)
        p = self.players[action["player"]]
        assert p["gold"] >= price
        assert not Counter(cards) - Counter(self.row[:first])
        p["gold"] -= price
        for card in cards:
            self.row.remove(card)
            self.receive(action["player"], card)
        self.phase = "end"

    def gain(self, name: str, djinn: str) -> None:
        if djinn != "Ba'al":
            self.reward("Ba'al", name)
        self.players[name]["djinns"].append(djinn)

    def do_summon(self, action: dict[str, Any]) -> None:
        assert self.phase == "tile"
        assert self.tiles[self.end_tile]["type"] == "sacred_place"
        assert (action["elders"], action["fakirs"]) in TWO
        self.spend(action["player"], action["elders"], action["fakirs"])
        self.spirits.remove(action["djinn"])
        self.gain(action["player"], action["djinn"])
        self.phase = "end"

    def do_power(self, action: dict[str, Any]) -> None:
        assert self.phase in ("sow", "build", "kill", "tile", "end")
        name, djinn, tile = action["player"], action["djinn"], action.get("tile")
        assert djinn in self.players[name]["djinns"]
        assert (name, djinn) not in self.used
        assert (action["elders"], action["fakirs"]) in COSTS[djinn]
        self.spend(name, action["elders"], action["fakirs"])
        self.used.add((name, djinn))
        if djinn in ("Echidna", "Iblis"):
            assert self.phase == {"Echidna": "build", "Iblis": "kill"}[djinn]
            self.active.add(djinn)
        elif djinn in ("Lamia", "Hagis"):
            assert (self.palms if djinn == "Lamia" else self.palaces) > 0
            self.active.add(djinn)
        elif djinn in ("Enki", "Bouraq"):
            self.raise_one(name, djinn, str(tile))
        elif djinn == "Sloar":
            self.receive(name, self.draw(action["card"]))
        elif djinn == "Sibittis":
            drawn = [self.draw_spirit(one) for one in action["drawn"]]
            assert len(drawn) == 3 or not (self.spirit_pile or self.spirits_thrown)
            self.spirits_thrown += [one for one in drawn if one != action["keep"]]
            self.gain(name, action["keep"])
        else:
            self.settle(name, djinn, str(tile), action.get("meeples", ""))

    def raise_one(self, name: str, djinn: str, tile: str) -> None:
        kind, helper, what = {"Enki": ("oasis", "Lamia", "palm"), "Bouraq": ("village", "Hagis", "palace")}[
            djinn
        ]
        wide = helper in self.active and self.switch["lamia_hagis_scope"] == "any_placement"
        homes = [t for t in self.tiles if self.tiles[t]["type"] == kind]
        assert any(max(step(t, tile)) <= (1 if wide else 0) for t in homes)
        if wide:
            self.active.discard(helper)
        self.put(name, what, tile)

    def settle(self, name: str, djinn: str, tile: str, drawn: str) -> None:
        there = self.tiles[tile]
        assert there["camel"] is None
        assert not there["palms"] + there["palaces"]
        assert bool(there["meeples"]) == (djinn == "Utug")
        if djinn == "Anun-Nak":
            assert len(drawn) == min(3, len(self.bag)) > 0
            assert len(drawn) == 3 or self.switch["anun_nak_short_bag"] != "needs_three"
            for letter in drawn:
                self.bag.remove(letter)
                there["meeples"].append(letter)
        else:
            assert self.players[name]["camels"]
            self.claim(name, tile)

    def do_sell(self, action: dict[str, Any]) -> None:
        assert self.phase in ("tile", "end")
        assert not self.owed()
        p = self.players[action["player"]]
        for suit in action["suits"]:
            assert len(set(suit)) == len(suit)
            for card in suit:
                assert p["goods"][card] > 0
                p["goods"][card] -= 1
                self.thrown[card] += 1
            p["gold"] += WORTH[len(suit)]
        self.phase = "end"

    def do_end(self, action: dict[str, Any]) -> None:
        assert self.phase in ("tile", "end")
        assert not self.owed()
        if self.zeros or self.paying:
            self.next_turn()
            return
        if not self.can_sow():
            self.ending = self.ending or "no_sowing"
        self.player, self.phase = None, "over" if self.ending else "reveal"
        if self.phase == "reveal":
            self.to_bid, self.played, self.used = self.played, [], set()
            self.clean_up()

    def do_reveal(self, action: dict[str, Any]) -> None:
        assert self.phase == "reveal"
        self.row += [self.draw(card) for card in action["row"]]
        self.spirits += [self.draw_spirit(djinn) for djinn in action["djinns"]]
        self.clean_up()

    def clean_up(self) -> None:
        """Bidding begins when both rows are as full as they can be."""
        cards = sum(self.pile.values()) + sum(self.thrown.values())
        spirits = len(self.spirit_pile) + len(self.spirits_thrown)
        assert len(self.row) <= 9
        assert len(self.spirits) <= 3
        if (len(self.row) == 9 or not cards) and (len(self.spirits) == 3 or not spirits):
            self.player, self.phase = self.to_bid[0], "bid"

    # --- the end --------------------------------------------------------------------------------------------

    def points(self, name: str) -> int:
        p = self.players[name]
        own = [tile for tile in self.tiles.values() if tile["camel"] == name]
        total = p["gold"] + sum(SPIRITS[djinn] for djinn in p["djinns"])
        total += p["viziers"] * (3 if "Jafaar" in p["djinns"] else 1)
        total += 10 * sum(self.players[n]["viziers"] < p["viziers"] for n in self.names)
        total += p["elders"] * (4 if "Shamhat" in p["djinns"] else 2)
        total += sum(tile["points"] for tile in own) + 5 * sum(tile["palaces"] for tile in own)
        total += (5 if "Haurvatat" in p["djinns"] else 3) * sum(tile["palms"] for tile in own)
        wild = p["fakirs"] // 2 if "Al-Amin" in p["djinns"] else 0
        return int(total + self.suits([p["goods"][card] for card in DECK if card != "fakir"], wild))

    def suits(self, counts: list[int], wild: int) -> int:
        """Each wild becomes some kind; then the longest suits first."""
        if wild:
            more = ([c + (kind == k) for k, c in enumerate(counts)] for kind in range(len(counts)))
            different = {tuple(sorted(one)): one for one in more}
            return max(self.suits(one, wild - 1) for one in different.values())
        return sum(WORTH[sum(c > depth for c in counts)] for depth in range(max(counts)))

    def public(self) -> dict[str, Any]:
        """What is compared with the engine, in the form of a position."""
        return {
            "tiles": {
                n: {**t, "meeples": "".join(sorted(t["meeples"], key="YWGBR".index))}
                for n, t in self.tiles.items()
            },
            "players": [
                {
                    key: sorted(p[key])
                    if key == "djinns"
                    else {c: n for c, n in p["goods"].items() if n}
                    if key == "goods"
                    else p[key]
                    for key in ("name", "gold", "camels", "viziers", "elders", "djinns", "goods", "fakirs")
                }
                for p in self.players.values()
            ],
            "bag": "".join(sorted(self.bag, key="YWGBR".index)),
            "row": self.row,
            "djinn_row": self.spirits,
            "supply": {"palms": self.palms, "palaces": self.palaces},
            "discards": {card: count for card, count in self.thrown.items() if count},
            "djinn_discards": sorted(self.spirits_thrown),
            "ending": self.ending,
            "player": self.player,
        }
