"""A whole table that is not there, put together: clock, coils, chips, wires, and the real drivers on top."""

from naqala_firmware import pins, selection
from naqala_firmware.pn5180 import PN5180, Lane
from naqala_firmware.simulated import pn5180 as chip
from naqala_firmware.simulated.chance import Chance
from naqala_firmware.simulated.clock import Clock
from naqala_firmware.simulated.field import Coils
from naqala_firmware.simulated.vicinity import Vicinity
from naqala_firmware.simulated.wiring import AIR_ONLY, Cost, Decoded, Plain


class Bench:
    """`readers` are real drivers, `chips` what they talk to, `coils` where tags are put, `clock` the time."""

    def __init__(
        self,
        rows: int = 5,
        columns: int = 6,
        cost: Cost = AIR_ONLY,
        seed: int = 1,
        errors: float = 0.0,
        capture: float = 0.0,
        pitch: int = 75,
        position_base: int = 0,
        plain: bool = False,
        clock: Clock | None = None,
    ):
        self.clock = clock or Clock()
        self.chance = Chance(seed)
        self.coils = Coils(columns, rows, pitch)
        self.airs = [Vicinity(self.coils, n, self.chance, errors, capture) for n in range(rows * columns)]
        self.chips = [chip.PN5180(self.clock, air, cost.busy_us, position_base) for air in self.airs]
        if plain:
            self.wiring: Plain | Decoded = Plain(self.clock, cost, self.chips)
            ports = selection.plain_ports(self.wiring)
        else:
            self.wiring = Decoded(self.clock, cost, self.chips, pins.SHIFT, rows, columns)
            ports = selection.decoded_ports(self.wiring, pins.SHIFT, rows * columns)
        lane = Lane(self.wiring.spi, self.clock)
        self.readers = [PN5180(lane, port) for port in ports]
