"""The electrical rule check and the netlists, by SKiDL. In: the boards. Out: per board a KiCad netlist and an ERC report.

Run it in the folder where its files should go: `python -m hardware.circuit.check` writes the netlists there, says what it
found, and fails when a board has an error. SKiDL's own talk goes to standard error and to log files in that folder.
"""

import sys
from pathlib import Path

import skidl

from hardware.circuit import parts
from hardware.circuit.board import Board
from hardware.circuit.boards import BOARDS
from hardware.circuit.parts import KINDS

TYPES = {
    parts.IN: skidl.Pin.types.INPUT,
    parts.OUT: skidl.Pin.types.OUTPUT,
    parts.TRI: skidl.Pin.types.TRISTATE,
    parts.BIDIR: skidl.Pin.types.BIDIR,
    parts.PASSIVE: skidl.Pin.types.PASSIVE,
    parts.POWER_IN: skidl.Pin.types.PWRIN,
    parts.POWER_OUT: skidl.Pin.types.PWROUT,
}

# Rails that reach their chips through a fuse, a diode or a resistor: driven all the same.
DRIVEN = {"controller": ("5V", "5V_C", "VSYS"), "bench": ("GND",), "onetile": ("GND",), "starter": ("GND",)}


def build(board: Board) -> skidl.Circuit:
    circuit = skidl.Circuit(name=board.name)
    made = {}
    for reference, name in board.parts.items():
        kind = KINDS[name]
        pins = [skidl.Pin(num=str(pin.number), name=pin.name, func=TYPES[pin.type]) for pin in kind.pins]
        template = skidl.Part(
            name=name,
            tool=skidl.SKIDL,
            dest=skidl.TEMPLATE,
            ref_prefix=kind.prefix,
            pins=pins,
            footprint=f"naqala:{kind.footprint}",
        )
        made[reference] = template(ref=reference, tag=reference, value=kind.what, circuit=circuit)
    for name, places in board.nets.items():
        net = skidl.Net(name, circuit=circuit)
        for place in places:
            net += made[place.partition(".")[0]][str(board.pin(place).number)]
        if name in DRIVEN.get(board.name, ()):
            net.drive = skidl.POWER
    open_net = circuit.NC
    for place in sorted(board.open_pins):
        open_net += made[place.partition(".")[0]][str(board.pin(place).number)]
    return circuit


def check(board: Board, folder: Path) -> tuple[int, int]:
    """Errors and warnings; writes <board>.net and <board>.erc."""
    circuit = build(board)
    skidl.erc_logger.error.reset()
    skidl.erc_logger.warning.reset()
    circuit.ERC()
    errors, warnings = skidl.erc_logger.error.count, skidl.erc_logger.warning.count
    circuit.generate_netlist(file_=str(folder / f"{board.name}.net"), tool=skidl.KICAD8)
    return errors, warnings


def able_to_fail(folder: Path) -> bool:
    """Proof that the check works: a board whose two selector outputs are tied together must be refused."""
    row = BOARDS["row"]
    nets = dict(row.nets)
    nets["NSS0"], nets["NSS1"] = nets["NSS0"] + nets["NSS1"], ()
    return (
        check(
            row._replace(name="broken", nets={net: places for net, places in nets.items() if places}), folder
        )[0]
        > 0
    )


def main() -> None:
    folder = Path.cwd()
    if not able_to_fail(folder):
        sys.exit("the rule check let two tied outputs pass")
    (folder / "broken.net").unlink(missing_ok=True)
    failed = False
    for board in BOARDS.values():
        errors, warnings = check(board, folder)
        print(
            f"{board.title}: {len(board.parts)} parts, {len(board.nets)} nets, {errors} errors, {warnings} warnings"
        )
        failed = failed or errors > 0
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
