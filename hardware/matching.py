"""From the chip's transmitter to the field over a tile: the module's whole network with a coil of ours at its end.

One leg of the module (public schematic R1.1; the other leg is its mirror image). L0 is inferred: with 470 nH the impedances come
out that the review of 0.1.0 calculated. Assumed, not read: losses at 13.56 MHz, the driver's resistance, a tag's loop.

    TX -- L0 470 nH --+-- C1 33 pF --+------------+-- pad
                      |              |            |
                  C0 253 pF      C2 82 pF    C4/C19 82 pF
                      |              |            |
                     GND            GND       ANT pin

Every reader protocol makes the chip join its two ANT pins (ANT_CONTROL, about 10 ohm), so C4/C19 count as well unless they
are taken off: 97 pF across the pads instead of 56. L0 with C0 is a gyrator at 13.56 MHz: the network drives a *current*
into the coil that hardly depends on resistances, and what resistances change is the impedance that the transmitter sees,
the other way round: more loss in the coil, less impedance, more current from the chip. Three consequences that the
calibration rests on: damping is no lever for the field; a coil far from resonance is nearly a short for the transmitter;
the field is set by the inductance at the pads, by the turns that are in the tile, and by the transmitter's supply.

`python -m hardware.matching` prints the tables of `models.md` and fails when the chosen design leaves its window.
"""

import sys
from collections.abc import Iterator
from functools import cache
from math import pi, sqrt
from typing import NamedTuple

from hardware import array_model
from hardware.array_model import OMEGA
from hardware.pcb import coil as spiral
from hardware.pcb.coil import Coil

# The module, per leg.
L0, C0, C1, C2, C_ANT = 470e-9, 253e-12, 33e-12, 82e-12, 82e-12
ANT_SHORT = 5.0  # ohm per leg: 10 between the pins
L0_LOSS, DRIVER = 0.8, 1.5  # ohm: of the filter inductor, of a transmitter pin
FEED_PAIR = 30e-9  # H, 50 mm of twisted pair

# Limits. The chip's come from its data sheet, the tags' from the design study.
TVDD_MAX = 0.250  # A, supply current of the transmitter, operating maximum
DRIVER_MARGIN = 1.30
TAG_NEEDS = (0.8, 1.6)  # A/m: a good tag of 13 mm, and one that is mistuned
OWN_MARGIN, CROSS_MARGIN = 1.5, 1.25
SEPARATION_LEAST = 5.0
TAGS, TAG_AREA, TAG_RESISTANCE = (
    14,
    930e-6,
    33.0,
)  # turns x area in m2; ohm around the tag's loop at resonance
MODULATION_LEAST = 0.002  # of the impedance at the chip, by one tag at the weakest place
STIFFNESS = 0.20  # the coil current may change this much when 14 tags lie on the tile
QUALITY = (15.0, 40.0)
TRIMMER = (5e-12, 20e-12)
TOLERANCE = 0.05  # of capacitors and chip inductors


class Design(NamedTuple):
    name: str
    coil: Coil
    chip: float  # H, inductor in series in each leg
    chip_loss: float  # ohm at 13.56 MHz, each
    damping: float  # ohm per leg
    keeps_c4: bool  # C4/C19 stay on the module
    tvdd: float = 5.0

    @property
    def inductance(self) -> float:
        """At the module's pads."""
        return coil_inductance(self.coil) + 2 * self.chip + FEED_PAIR

    @property
    def resistance(self) -> float:
        """Around the loop. Copper counts 1.5 times its skin effect: neighbouring edges crowd the current."""
        return 1.5 * spiral.resistance(self.coil) + 2 * (self.chip_loss + self.damping)

    @property
    def quality(self) -> float:
        return OMEGA * self.inductance / self.resistance


class State(NamedTuple):
    """What the transmitter sees and does: per pin in phase with the other leg's mirror image."""

    impedance: complex  # ohm between TX1 and TX2
    driver: float  # A rms
    supply: float  # A from TVDD
    coil: float  # A rms


def coil_inductance(coil: Coil) -> float:
    """Mean of both formulas; for a single turn the filament formula alone, for which it is exact."""
    if coil.turns == 1:
        return spiral.greenhouse(coil)
    return (spiral.wheeler(coil) + spiral.greenhouse(coil)) / 2


def _capacitor(farad: float) -> complex:
    return 1 / (1j * OMEGA * max(farad, 1e-18))


def _parallel(*impedances: complex) -> complex:
    return 1 / sum(1 / z for z in impedances)


def drive(
    design: Design, trim: float, *, more: complex = 0, capacitors: float = 1.0, chips: float = 1.0
) -> State:
    """The network on air. `more` is added around the coil's loop (tags, a detuned coil); the last two scale parts."""
    volts = 4 / pi * design.tvdd / sqrt(2)  # fundamental of the square wave between TX1 and TX2
    inductance = coil_inductance(design.coil) + 2 * design.chip * chips + FEED_PAIR
    loop = (1j * OMEGA * inductance + design.resistance + more) / 2
    shunts = [_capacitor(C2 * capacitors), _capacitor(2 * trim)]
    if design.keeps_c4:
        shunts.append(_capacitor(C_ANT * capacitors) + ANT_SHORT)
    pads = _parallel(loop, *shunts)
    behind = pads + _capacitor(C1 * capacitors)
    filtered = _parallel(behind, _capacitor(C0 * capacitors))
    leg = filtered + 1j * OMEGA * L0 + L0_LOSS
    current = volts / 2 / (leg + DRIVER)
    through = current * filtered / behind * pads / loop
    supply = abs(2 * sqrt(2) / pi * current.real)
    return State(2 * leg, abs(current), supply, abs(through))


@cache
def best_trim(design: Design, capacitors: float = 1.0, chips: float = 1.0) -> float:
    """The capacitance across the pads at which the transmitter sees the most resistance: farad, in steps of 0.25 pF."""
    steps = [k * 0.25e-12 for k in range(-160, 400)]
    return max(steps, key=lambda trim: drive(design, trim, capacitors=capacitors, chips=chips).impedance.real)


def across(design: Design, trim: float, ant: bool) -> float:
    """Capacitance across the coil's loop with the transmitter off (its pins are open then): farad."""
    leg = C2 + C1 * C0 / (C1 + C0) + (C_ANT if ant and design.keeps_c4 else 0.0)
    return leg / 2 + trim


def resonance(design: Design, trim: float, ant: bool) -> float:
    """What a pick-up loop shows with the field off: Hz."""
    return 1 / (2 * pi * sqrt(design.inductance * across(design, trim, ant)))


def parked(design: Design, trim: float, ant: bool) -> complex:
    """Impedance around a parked loop at 13.56 MHz."""
    return design.resistance + 1j * OMEGA * design.inductance + _capacitor(across(design, trim, ant))


class Tags(NamedTuple):
    mutual: float  # H, one tag over the middle
    one: float  # ohm that it reflects into the coil
    weakest: float  # ohm from a tag at the weakest place


@cache
def tags(coil: Coil) -> Tags:
    """A tag at resonance is a resistor in the coil's loop; off resonance it is smaller and partly reactive."""

    def reflected(x: float, y: float) -> tuple[float, float]:
        mutual = 4e-7 * pi * array_model.field(coil, {(0, 0): 1 + 0j}, x, y) * TAG_AREA
        return mutual, (OMEGA * mutual) ** 2 / TAG_RESISTANCE

    mutual, one = reflected(0, 0)
    return Tags(mutual, one, reflected(array_model.REACH, array_model.REACH)[1])


class Verdict(NamedTuple):
    what: str
    value: str
    wanted: str
    good: bool


def separations(design: Design) -> dict[str, array_model.Separation]:
    """Own and cross field with all other readers parked: in reset, awake, and tuned to 13.56 MHz as badly as can be."""
    trim = best_trim(design)
    found = {
        "parked, ANT open": parked(design, trim, ant=False),
        "parked, ANT short": parked(design, trim, ant=True),
        "parked on 13.56 MHz": complex(design.resistance),
    }
    return {name: array_model.separation(design.coil, loop) for name, loop in found.items()}


def window(design: Design) -> Iterator[Verdict]:
    """Everything the design has to hold."""
    trim = best_trim(design)
    on_air = drive(design, trim)
    states = separations(design)
    worst = min(states.values(), key=lambda s: s.ratio)
    yield Verdict(
        "own : cross, worst parked state",
        f"{worst.ratio:.1f}",
        f"at least {SEPARATION_LEAST:g}",
        worst.ratio >= SEPARATION_LEAST,
    )
    own = min(s.own for s in states.values()) * on_air.coil
    least = TAG_NEEDS[1] * OWN_MARGIN
    yield Verdict("weakest field on the own tile", f"{own:.1f} A/m", f"at least {least:.1f}", own >= least)
    cross = max(s.cross for s in states.values()) * on_air.coil
    most = TAG_NEEDS[0] / CROSS_MARGIN
    yield Verdict(
        "strongest field on any other tile", f"{cross:.2f} A/m", f"at most {most:.2f}", cross <= most
    )
    load = tags(design.coil).one * TAGS
    cases = {
        "no tag": on_air,
        f"{TAGS} tags": drive(design, trim, more=load),
        "trimmer 3 pF too low": drive(design, trim - 3e-12, more=load),
        "trimmer 3 pF too high": drive(design, trim + 3e-12, more=load),
    }
    case, high = max(cases.items(), key=lambda item: item[1].supply)
    limit = TVDD_MAX / DRIVER_MARGIN
    yield Verdict(
        f"transmitter's supply current, worst ({case})",
        f"{high.supply * 1000:.0f} mA",
        f"at most {limit * 1000:.0f}",
        high.supply <= limit,
    )
    moved = abs(cases[f"{TAGS} tags"].coil / on_air.coil - 1)
    yield Verdict(
        f"coil current moved by {TAGS} tags", f"{moved:.0%}", f"at most {STIFFNESS:.0%}", moved <= STIFFNESS
    )
    depth = tags(design.coil).weakest / design.resistance / 2
    yield Verdict(
        "one tag's modulation at the weakest place",
        f"{depth:.2%}",
        f"at least {MODULATION_LEAST:.1%}",
        depth >= MODULATION_LEAST,
    )
    low, high_q = QUALITY
    yield Verdict(
        "Q of the loop",
        f"{design.quality:.0f}",
        f"{low:.0f} to {high_q:.0f}",
        low <= design.quality <= high_q,
    )
    corners = [
        best_trim(design, capacitors, chips)
        for capacitors in (1 - TOLERANCE, 1 + TOLERANCE)
        for chips in (1 - TOLERANCE, 1 + TOLERANCE)
    ]
    yield Verdict(
        "capacitance that tuning needs, over tolerances of 5 %",
        f"{min(corners) * 1e12:.1f} to {max(corners) * 1e12:.1f} pF",
        f"{TRIMMER[0] * 1e12:.0f} to {TRIMMER[1] * 1e12:.0f}",
        TRIMMER[0] <= min(corners) and max(corners) <= TRIMMER[1],
    )


CHOSEN = Design("one turn and 2 x 910 nH, C4/C19 off (chosen)", spiral.TILE, 910e-9, 2.1, 1.0, keeps_c4=False)
COMPARED = (
    Design("four turns, C4/C19 on (0.1.0 as it was drawn)", Coil(turns=4), 0, 0, 1.1, keeps_c4=True),
    Design("four turns, C4/C19 off", Coil(turns=4), 0, 0, 1.1, keeps_c4=False),
    Design("three turns, C4/C19 on, antenna switch", Coil(turns=3), 0, 0, 1.1, keeps_c4=True),
    Design("one turn and 2 x 470 nH, C4/C19 on, TVDD 3.3 V", spiral.TILE, 470e-9, 1.4, 0.56, True, 3.3),
    CHOSEN,
)


class Lever(NamedTuple):
    what: str
    state: State
    field: float  # relative to the chosen design, tuned


def levers() -> list[Lever]:
    """What each thing that a builder can change does to field and transmitter, from the tuned design on."""
    trim = best_trim(CHOSEN)
    tuned = drive(CHOSEN, trim)
    changes: list[tuple[str, Design, float]] = [("as designed, tuned", CHOSEN, trim)]
    changes += [(f"trimmer {step:+d} pF", CHOSEN, trim + step * 1e-12) for step in (-4, -2, 2, 4)]
    for ohm in (0.47, 2.2, 3.3):
        changes.append((f"R1, R2 {ohm:g} ohm instead of 1", CHOSEN._replace(damping=ohm), trim))
    for nano in (820, 1000):
        other = CHOSEN._replace(chip=nano * 1e-9)
        changes.append((f"L2, L3 {nano} nH, tuned again", other, best_trim(other)))
    for volts, how in (
        (4.5, "transmitter 0.5 V lower (DPC_CONFIG)"),
        (3.3, "transmitter's supply 3.3 V (R14 to R15)"),
    ):
        changes.append((how, CHOSEN._replace(tvdd=volts), trim))
    return [Lever(what, state := drive(design, at), state.coil / tuned.coil) for what, design, at in changes]


def _ohms(z: complex) -> str:
    return f"{z.real:.0f} {'+' if z.imag >= 0 else '-'} j{abs(z.imag):.0f}"


def main() -> None:
    print("### Designs that were compared\n")
    print(
        "| design | L at the pads | impedance at TX | coil | TVDD | field off: ANT open / short | own : cross, worst parked | own / cross A/m | holds |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for design in COMPARED:
        trim = max(best_trim(design), 0.0)
        state = drive(design, trim)
        apart = separations(design)
        worst = min(apart.values(), key=lambda s: s.ratio)
        fields = f"{worst.own * state.coil:.1f} / {worst.cross * state.coil:.2f}"
        free, joined = (resonance(design, trim, ant) / 1e6 for ant in (False, True))
        bad = sum(not verdict.good for verdict in window(design))
        print(
            f"| {design.name} | {design.inductance * 1e6:.2f} uH | {_ohms(state.impedance)} ohm | {state.coil * 1000:.0f} mA | {state.supply * 1000:.0f} mA "
            f"| {free:.1f} / {joined:.1f} MHz | {worst.ratio:.1f} | {fields} | {'yes' if not bad else f'no, {bad} of 8'} |"
        )
    print("\n### The window of the chosen design\n\n| what | value | wanted | |\n|---|---|---|---|")
    verdicts = list(window(CHOSEN))
    for verdict in verdicts:
        print(
            f"| {verdict.what} | {verdict.value} | {verdict.wanted} | {'holds' if verdict.good else 'FAILS'} |"
        )
    print("\n### Thirty coils, one on air, all others parked\n")
    print(
        "| parked loops | beside | diagonal | two away | own min | cross max | own : cross |\n|---|---|---|---|---|---|---|"
    )
    coil = drive(CHOSEN, best_trim(CHOSEN)).coil
    for name, found in separations(CHOSEN).items():
        shares = f"{found.beside:.3f} | {found.diagonal:.4f} | {found.second:.4f}"
        print(
            f"| {name} | {shares} | {found.own * coil:.2f} A/m | {found.cross * coil:.2f} A/m | {found.ratio:.1f} |"
        )
    one = tags(CHOSEN.coil)
    print(
        f"\nMutual inductance of two coils 75 mm apart: {array_model.mutual(CHOSEN.coil, 75, 0) * 1e9:.2f} nH "
        f"(four turns: {array_model.mutual(Coil(turns=4), 75, 0) * 1e9:.1f} nH). One tag over the middle: {one.mutual * 1e9:.0f} nH, "
        f"{one.one:.3f} ohm in the loop; {TAGS} tags: {TAGS * one.one:.2f} ohm of {CHOSEN.resistance:.1f}."
    )
    trim = best_trim(CHOSEN)
    for what, state in (
        ("C4 and C19 forgotten on the module", drive(CHOSEN._replace(keeps_c4=True), trim)),
        ("coil or a feed wire not connected", drive(CHOSEN, trim, more=1e6)),
    ):
        print(
            f"\nIf this goes wrong: {what}: {_ohms(state.impedance)} ohm, {state.supply * 1000:.0f} mA from TVDD, "
            f"{state.driver * 1000:.0f} mA rms in the transmitter, field {state.coil / coil:.0%}."
        )
    print("\n### Levers\n\n| change | field | impedance at TX | TVDD |\n|---|---|---|---|")
    for lever in levers():
        print(
            f"| {lever.what} | {lever.field:.0%} | {_ohms(lever.state.impedance)} ohm | {lever.state.supply * 1000:.0f} mA |"
        )
    if failed := [verdict for verdict in verdicts if not verdict.good]:
        sys.exit(
            "the matching leaves its window: " + "; ".join(f"{v.what} {v.value}, {v.wanted}" for v in failed)
        )


if __name__ == "__main__":
    main()
