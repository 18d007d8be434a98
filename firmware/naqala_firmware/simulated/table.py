"""A whole table that is not there, controller included: the very firmware on simulated chips, in simulated time.

The world outside moves tags and breaks readers; the host talks through two byte queues, as over a cable. Time passes
only in `step`: compare `now_us` with a clock on the wall to run in real time. Same seed, same calls: same bytes.

    table = SimulatedTable(seed=7)
    table.place("e004010200000001", 17)
    table.run(2000)                       # two seconds of the table's time
    table.said()                          # b"hello 1 virtual 30 0 ... seen 5 17 e004010200000001 *....\\n"
    table.hear(encode(Focus((16, 18))))

The hand and the faults can also be had over the wire: `config place "e004010200000001 17"`, `config fault "3 stuck"`.
"""

from naqala_firmware.controller import Controller
from naqala_firmware.lamps import Lamps
from naqala_firmware.lanes import Lanes
from naqala_firmware.pins import COLUMNS
from naqala_firmware.pn5180 import Lane
from naqala_firmware.simulated.bench import Bench
from naqala_firmware.simulated.field import Tag
from naqala_firmware.simulated.pn5180 import FAULTS
from naqala_firmware.simulated.wiring import AIR_ONLY, CONTROLLER

COSTS = {"air": AIR_ONLY, "micropython": CONTROLLER}
FAULT_KINDS = FAULTS[1:] + ("brownout",)
MOST_WAITING = 65536  # bytes that a host which does not read leaves in the cable


class Cable:
    """A link made of two byte queues; `plugged` False is a cable pulled out: what is said meanwhile is gone."""

    def __init__(self) -> None:
        self.plugged = True
        self.up = bytearray()
        self.down = bytearray()

    def step(self, now: int) -> bool:
        return False

    def receive(self) -> bytes:
        data = bytes(self.down)
        self.down = bytearray()
        return data

    def room(self) -> bool:
        return len(self.up) < MOST_WAITING

    def send(self, line: bytes) -> None:
        if self.plugged:
            self.up.extend(line)


class Strip:
    """Lamps that only remember."""

    def __init__(self) -> None:
        self.colours: dict[int, tuple[int, int, int]] = {}

    def __setitem__(self, lamp: int, colour: tuple[int, int, int]) -> None:
        self.colours[lamp] = colour

    def write(self) -> None:
        pass


class SimulatedTable:
    """`air` is whose time counts: "air" the radio's alone, "micropython" a Pico's work as well. Rates are per reading."""

    def __init__(
        self,
        readers: int = 30,
        seed: int = 1,
        air: str = "micropython",
        name: str = "virtual",
        misses: float = 0.0,
        errors: float = 0.0,
        capture: float = 0.0,
        pitch: int = 75,
        link=None,
        lanes: int = 1,
    ) -> None:
        rows = (readers + COLUMNS - 1) // COLUMNS
        self.bench = Bench(rows, COLUMNS, COSTS[air], seed, errors, capture, pitch)
        self.count = readers
        self.cable = Cable()
        self._link = link or self.cable
        self.misses = misses
        self.tags: dict[str, Tag] = {}
        self.strip = Strip()
        self._name = name
        self._width = lanes
        self._lanes = Lanes(Lane(self.bench.wiring.spi, self.bench.clock), lanes) if lanes > 1 else None
        self._start = self.bench.clock.now
        self.restart()

    # --- the world ----------------------------------------------------------------------------------------

    def place(self, tag: str, reader: int) -> None:
        """Put a tag down on a reader, standing, from wherever it was."""
        found = self._tag(tag)
        self.bench.coils.lay(found, False)
        self.bench.coils.put(found, reader)

    def remove(self, tag: str) -> None:
        """Lift a tag off the table."""
        self.bench.coils.take(self._tag(tag))

    def lay_down(self, tag: str) -> None:
        """Lay a piece on its side: it stays where it is and cannot be read."""
        self.bench.coils.lay(self._tag(tag), True)

    def stand_up(self, tag: str) -> None:
        self.bench.coils.lay(self._tag(tag), False)

    def fault(self, reader: int, kind: str = "") -> None:
        """Break a reader in one of FAULT_KINDS; "" mends it. A brownout is over as soon as it has happened."""
        if kind == "brownout":
            self.bench.chips[reader].brown_out()
        elif kind in FAULTS:
            self.bench.chips[reader].fault = kind
        else:
            raise ValueError("no fault '%s'; there are %s" % (kind, ", ".join(FAULT_KINDS)))

    def set_misses(self, rate: float) -> None:
        """How often a tag does not answer although it could; for all tags, from now on."""
        self.misses = rate
        for tag in self.tags.values():
            tag.miss = rate

    def order(self, key: str, text: str) -> str:
        """The same by `config key text`; ValueError says what can be ordered."""
        words = text.split(" ")
        try:
            if key == "place":
                self.place(words[0], int(words[1]))
            elif key in ("remove", "lay_down", "stand_up"):
                getattr(self, key)(words[0])
            elif key == "fault":
                self.fault(int(words[0]), " ".join(words[1:]))
            elif key == "misses":
                self.set_misses(float(words[0]))
            else:
                raise ValueError("a simulated table knows place, remove, lay_down, stand_up, fault, misses")
        except IndexError:
            raise ValueError("'%s %s': a word is missing, or there is no such reader" % (key, text)) from None
        return "%s %s: done" % (key, text)

    def _tag(self, id: str) -> Tag:
        found = self.tags.get(id)
        if found is None:
            found = self.tags[id] = Tag(id)
            found.miss = self.misses
        return found

    # --- the controller -----------------------------------------------------------------------------------

    def restart(self) -> None:
        """Power off and on: the controller begins anew, the tags stay where they are."""
        for reader in self.bench.readers:
            reader.stop()
        self.lamps = Lamps(self.strip, {number: number for number in range(self.count)})
        self.controller = Controller(
            {number: self.bench.readers[number] for number in range(self.count)},
            self._link,
            self.bench.clock,
            self._name,
            "simulated",
            self.bench.chance.bits(),
            ("pn5180", "looked", "tune", "lights", "simulated"),
            self.lamps,
            configure=self.order,
            lanes=self._lanes,
            width=self._width,
            places={number: divmod(number, COLUMNS) for number in range(self.count)},
        )

    @property
    def now_us(self) -> int:
        """Microseconds since the table began."""
        return self.bench.clock.now - self._start

    def step(self) -> None:
        """One turn of the controller's loop: one reader is asked, some ten milliseconds pass."""
        self.controller.step()

    def run(self, milliseconds: int) -> None:
        """As many turns as fit into that time."""
        end = self.now_us + 1000 * milliseconds
        while self.now_us < end:
            self.controller.step()

    # --- the cable ----------------------------------------------------------------------------------------

    def said(self) -> bytes:
        """What the controller has said since the last call."""
        data = bytes(self.cable.up)
        self.cable.up = bytearray()
        return data

    def hear(self, data: bytes) -> None:
        """What the host says."""
        if self.cable.plugged:
            self.cable.down.extend(data)
