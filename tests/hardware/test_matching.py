"""The matching network by another method, and against figures that others calculated.

The script solves one leg and doubles it. Here the whole circuit of both legs is written down as node equations, with the
coil as an inductor between two nodes, and solved as such. Figures named "review" were calculated by reviewers of 0.1.0 with
tools of their own.
"""

from math import pi, sqrt

import pytest

from hardware import array_model, matching
from hardware.array_model import OMEGA, PITCH
from hardware.matching import CHOSEN, COMPARED
from hardware.pcb.coil import Coil

FOUR = Coil(turns=4)


def nodal(design: matching.Design, trim: float) -> tuple[complex, float]:
    """Impedance between TX1 and TX2 and coil current, from admittances between nodes.

    Nodes: transmitter, filter, pads of leg A, then the same of leg B, then both ANT pins, then the coil's middle."""
    size = 9
    y = [[0j] * size for _ in range(size)]

    def join(a: int | None, b: int | None, admittance: complex) -> None:
        for node in (a, b):
            if node is not None:
                y[node][node] += admittance
        if a is not None and b is not None:
            y[a][b] -= admittance
            y[b][a] -= admittance

    s = 1j * OMEGA
    for tx, filtered, pads, ant in ((0, 1, 2, 6), (3, 4, 5, 7)):
        join(tx, filtered, 1 / (s * 470e-9 + 0.8))
        join(filtered, None, s * 253e-12)
        join(filtered, pads, s * 33e-12)
        join(pads, None, s * 82e-12)
        if design.keeps_c4:
            join(pads, ant, s * 82e-12)
    join(6, 7, 1 / 10)
    join(6, None, 1e-9)
    join(2, 5, s * trim)
    join(2, 8, 1 / (design.resistance / 2))
    join(8, 5, 1 / (s * design.inductance + design.resistance / 2))
    drive = [0j] * size
    drive[0], drive[3] = 1 + 0j, -1 + 0j
    volts = array_model.solve(y, drive)
    impedance = volts[0] - volts[3]
    source = 4 / pi * design.tvdd / sqrt(2)
    current = source / (impedance + 2 * 1.5)
    coil = (volts[8] - volts[5]) / (s * design.inductance + design.resistance / 2)
    return impedance, abs(coil * current)


@pytest.mark.parametrize("design", COMPARED, ids=lambda design: design.name)
def test_half_circuit_and_whole_circuit_agree(design: matching.Design) -> None:
    trim = max(matching.best_trim(design), 5e-12)
    state = matching.drive(design, trim)
    impedance, coil = nodal(design, trim)
    assert impedance == pytest.approx(state.impedance, rel=1e-3)
    assert coil == pytest.approx(state.coil, rel=1e-3)


def test_review_c4_and_c19_count() -> None:
    """Review: 96.6 pF with the ANT pins joined, 55.6 without; four turns give about 1.4 - j5 ohm at TX."""
    four = COMPARED[0]
    assert matching.across(four, 0, ant=True) * 1e12 == pytest.approx(96.6, abs=0.1)
    assert matching.across(four, 0, ant=False) * 1e12 == pytest.approx(55.6, abs=0.1)
    z = matching.drive(four, 10e-12).impedance
    assert z.real == pytest.approx(1.4, abs=0.8) and z.imag == pytest.approx(-5, abs=1.5)


def test_review_damping_does_not_move_the_current() -> None:
    """Review: 216 mA with 2.2 || 2.2 ohm, 215 with 3.3 || 3.3, 207 with 10 || 10."""
    four = COMPARED[1]
    trim = matching.best_trim(four)
    seen = [matching.drive(four._replace(damping=ohm), trim).coil * 1000 for ohm in (1.1, 1.65, 5.0)]
    assert seen == pytest.approx([216, 215, 207], rel=0.09)
    assert max(seen) / min(seen) < 1.13


def test_review_coupling_of_two_coils() -> None:
    """Review, Neumann's integral: 37.6 nH at 75 mm, k = 0.018; k = 0.034 at 65 mm."""
    inductance = matching.coil_inductance(FOUR)
    assert abs(array_model.mutual(FOUR, 75, 0)) * 1e9 == pytest.approx(37.6, rel=0.02)
    assert abs(array_model.mutual(FOUR, 75, 0)) / inductance == pytest.approx(0.018, rel=0.03)
    assert abs(array_model.mutual(FOUR, 65, 0)) / inductance == pytest.approx(0.034, rel=0.03)


def test_far_away_a_coil_is_a_dipole() -> None:
    """M = mu0 (N A)2 / (4 pi d3), side by side, with the area of each turn."""
    area = sum((54e-3 - 0.5e-3 - 2e-3 * turn) ** 2 for turn in range(4))
    dipole = -1e-7 * area**2 / 1.0**3
    assert array_model.mutual(FOUR, 1000, 0) == pytest.approx(dipole, rel=0.01)


def test_review_parked_coils_carry_a_third_when_tuned() -> None:
    """Review: 0.29 to 0.34 of the current beside, 0.22 to 0.28 diagonal, own : cross below 3; parked on 18 MHz 7.8."""
    inductance = 2.1e-6
    tuned = array_model.separation(FOUR, 3.5 + 0j)
    assert 0.29 <= tuned.beside <= 0.34 and 0.22 <= tuned.diagonal <= 0.28 and tuned.ratio < 3
    away = array_model.separation(FOUR, 3.5 + 1j * OMEGA * inductance * (1 - (18 / 13.56) ** 2))
    assert away.ratio == pytest.approx(7.8, rel=0.03)


def test_two_loops_by_hand() -> None:
    """With all but one neighbour's coupling neglected: I2 = -j w M / Z."""
    parked = 40 + 0j
    share = abs(array_model.currents(CHOSEN.coil, parked, (2, 2))[(3, 2)])
    alone = OMEGA * abs(array_model.mutual(CHOSEN.coil, PITCH, 0)) / 40
    assert share == pytest.approx(alone, rel=0.02)


def test_the_chosen_design_holds_its_window() -> None:
    assert [verdict for verdict in matching.window(CHOSEN) if not verdict.good] == []


@pytest.mark.parametrize("design", COMPARED[:-1], ids=lambda design: design.name)
def test_the_others_do_not(design: matching.Design) -> None:
    assert not all(verdict.good for verdict in matching.window(design))


def test_make_hardware_stops_when_the_window_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "CHOSEN", COMPARED[1])
    with pytest.raises(SystemExit, match="own : cross"):
        matching.main()


def test_the_board_has_the_parts_that_were_calculated() -> None:
    from hardware.circuit.boards import BOARDS

    parts = list(BOARDS["tile"].parts.values())
    assert (parts.count("l910n"), CHOSEN.chip) == (2, 910e-9)
    assert (parts.count("r1.0"), CHOSEN.damping) == (2, 1.0)
    assert (parts.count("trimmer"), matching.TRIMMER) == (1, (5e-12, 20e-12))
