"""Can a part be bought? Part numbers are taken apart by the rules of their series and compared with what the bill says.

A number that looks right but names a value its series does not have is the mistake that no bill, netlist or price can show: a
trimmer of 25 pF in a series that has 20 and 30. Each rule below is a series: how its numbers are built, which values it has,
and how a value is written. Whatever has a part number must be in a series known here. `hardware.bom` runs the check.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

E24 = (
    1.0,
    1.1,
    1.2,
    1.3,
    1.5,
    1.6,
    1.8,
    2.0,
    2.2,
    2.4,
    2.7,
    3.0,
    3.3,
    3.6,
    3.9,
    4.3,
    4.7,
    5.1,
    5.6,
    6.2,
    6.8,
    7.5,
    8.2,
    9.1,
)
UNITS = {"ohm": 1.0, "kilohm": 1e3, "pF": 1e-12, "nF": 1e-9, "uF": 1e-6, "nH": 1e-9, "V": 1.0, "A": 1.0}


class Series(NamedTuple):
    maker: str
    pattern: str  # its groups go to `value`
    unit: str  # of the value in the bill's description; "" where the number has no value
    value: Callable[..., float] = lambda: 0.0
    exists: Callable[[float], bool] = lambda value: True


def _letter(text: str) -> float:
    """4K7, 10K, 1R, 100R: the letter is the point."""
    scale = 1e3 if "K" in text else 1.0
    return float(text.replace("K", ".").replace("R", ".")) * scale


def _three(text: str) -> float:
    """104 in pF is 100 nF."""
    return float(int(text[:2]) * 10 ** int(text[2]))


def _in(values: tuple[float, ...]) -> Callable[[float], bool]:
    return lambda value: any(abs(value - v) < 1e-9 + 1e-6 * v for v in values)


def _e24(least: float, most: float) -> Callable[[float], bool]:
    def exists(value: float) -> bool:
        digits = value
        while digits >= 9.99:
            digits /= 10
        while digits < 0.999:
            digits *= 10
        return least <= value <= most and any(abs(digits - step) < 0.001 for step in E24)

    return exists


SERIES = (
    Series("Yageo RC, 1 %", r"RC(?:0805|1206)FR-07([\dRK]+)L", "ohm", _letter, _e24(1, 1e7)),
    Series("Yageo MFR-25, 1 %", r"MFR-25FBF52-([\dRK]+)", "ohm", _letter, _e24(10, 1e6)),
    Series("Murata TZC3", r"TZC3[ZRP](\d{3})A110R00", "pF", lambda t: int(t[:2]), _in((3, 6, 10, 20, 30))),
    Series(
        "Coilcraft 1008CS",
        r"1008CS-(\d{3})XJL[BC]",
        "nH",
        _three,
        _in(
            (
                10,
                12,
                15,
                18,
                22,
                27,
                33,
                39,
                47,
                56,
                68,
                82,
                100,
                120,
                150,
                180,
                220,
                270,
                330,
                390,
                470,
                560,
                620,
                680,
                750,
                820,
                910,
                1000,
            )
        ),
    ),
    Series("Yageo CC0805 X7R", r"CC0805KRX7R9BB(\d{3})", "pF", _three, _in((1e4, 2.2e4, 4.7e4, 1e5))),
    Series("Samsung CL31", r"CL31B(\d{3})KOHNNNE", "pF", _three, _in((1e6, 2.2e6, 4.7e6, 1e7))),
    Series("Vishay K, leaded", r"K(\d{3})K15X7RF5TL2", "pF", _three, _in((1e4, 2.2e4, 4.7e4, 1e5))),
    Series(
        "Panasonic FM, 10 V",
        r"EEU-FM1A(\d{3})",
        "uF",
        _three,
        _in((100, 220, 330, 470, 680, 820, 1000, 1200, 1500, 2200)),
    ),
    Series(
        "Schurter OGN with Littelfuse 217", r"0031\.8201 with 0217(\d{3})\.HXP", "A", int, _in((1, 2, 4, 5))
    ),
    Series("Mean Well GST40A", r"GST40A(\d\d)-P1J", "V", int, _in((5, 7, 9, 12, 15, 18, 24, 48))),
    Series(
        "TI and Nexperia logic", r"SN74(?:HC|LVC|AHC|AHCT)(?:595|138|151|14A|125|125A|541A)(?:DW|D|N)", ""
    ),
    Series("ST LD1117", r"LD1117S33TR", ""),
    Series("AOS", r"AO4407A", ""),
    Series("diodes", r"SS14|SMBJ5\.0A|WS2812B", ""),
    Series("connectors", r"T821120A1S100CEU|T821114A1S100CEU|1715721", ""),
    Series("TDK", r"PS1240P02BT", ""),
    Series("Raspberry Pi", r"SC1634|SC0918", ""),
    Series("NXP tags", r"NT2H1311", ""),
)
NUMBER = re.compile(r"[A-Z0-9][A-Z0-9./-]*\d[A-Z0-9./-]*")


def _said(part: str, unit: str) -> set[float]:
    """The values that a description names, in the series' unit: "4.7 kilohm" in ohm is 4700."""
    kind = re.sub(r"^(kil|[pnu](?=[FH]))", "", unit)
    found = set()
    for number, other in re.findall(r"([\d.]+) (\w+)", part):
        if other in UNITS and re.sub(r"^(kil|[pnu](?=[FH]))", "", other) == kind:
            found.add(round(float(number) * UNITS[other] / UNITS[unit], 6))
    return found


def faults(line: str, part: str, mpn: str) -> Iterator[str]:
    """What is wrong with a line of a bill; nothing for a line that describes its part in words."""
    if not mpn or not all(NUMBER.fullmatch(piece) for piece in mpn.split(" with ")):
        return
    for series in SERIES:
        if found := re.fullmatch(series.pattern, mpn):
            if not series.unit:
                return
            value = float(series.value(*found.groups()))
            if not series.exists(value):
                yield f"{line}: {mpn} would be {value:g} {series.unit}, which {series.maker} does not have"
            elif not any(abs(value - said) < 1e-6 * value for said in _said(part, series.unit)):
                yield f"{line}: {mpn} is {value:g} {series.unit}, the bill says {part}"
            return
    yield f"{line}: {mpn} is in no series known here"
