"""A whole table that is not there, put together: clock, coils, chips, wires, and the real drivers on top."""

from naqala_firmware import pins, readers
from naqala_firmware.simulated.chance import Chance
from naqala_firmware.simulated.clock import Clock
from naqala_firmware.simulated.field import Coils
from naqala_firmware.simulated.wiring import AIR_ONLY, Cost, Decoded, Plain


class Bench:
    """`readers` are real drivers, `chips` what they talk to, `coils` where tags are put, `clock` the time.

    Reader n is at row n // columns. `times` are the chips' own, in turn (times.py). `airs` are the fields' insides: errors and capture can be changed there at any time.
    """

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
        wiring: str = "table",
        chip: str = "pn5180",
        counting: str = "byte",
        clock: Clock | None = None,
        times=None,
        parked: str = "",
    ) -> None:
        self.clock = clock or Clock()
        self.chance = Chance(seed)
        self.coils = Coils(columns, rows, pitch, parked)
        numbers = range(rows * columns)
        self.airs: list
        self.chips: list
        if chip == "mfrc522":
            from naqala_firmware.simulated import mfrc522
            from naqala_firmware.simulated.proximity import Proximity

            self.airs = [Proximity(self.coils, n, self.chance, errors) for n in numbers]
            self.chips = [mfrc522.MFRC522(self.clock, air, counting) for air in self.airs]
        else:
            from naqala_firmware.simulated import pn5180
            from naqala_firmware.simulated.times import IDEAL, USUAL
            from naqala_firmware.simulated.vicinity import Vicinity

            times = times or [USUAL if cost.frame_us else IDEAL]

            self.airs = [Vicinity(self.coils, n, self.chance, errors, capture) for n in numbers]
            self.chips = [
                pn5180.PN5180(self.clock, air, times[n % len(times)], position_base)
                for n, air in enumerate(self.airs)
            ]
        self.wiring: Plain | Decoded
        if wiring == "table":
            places = [[n // columns, n % columns] for n in numbers]
            self.wiring = Decoded(self.clock, cost, self.chips, pins.SHIFT, rows, columns)
        else:
            places = [[3 * n, 3 * n + 1, 3 * n + 2] for n in numbers]
            self.wiring = Plain(self.clock, cost, self.chips, places)
        config = {"chip": chip, "wiring": wiring, "readers": dict(zip(numbers, places)), "power": {}}
        built = readers.build(config, self.wiring, self.clock)
        self.readers = [built[n] for n in numbers]

    def diagonal(self, step: int) -> list[int]:
        """A reader of each row that may be on air together, two columns apart row by row; all are in one of the steps."""
        columns = self.coils.columns
        return [n + (step + 2 * n // columns) % columns for n in range(0, len(self.readers), columns)]
