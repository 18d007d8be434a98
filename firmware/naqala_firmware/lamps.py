"""One lamp under each reader and, if wired, a buzzer: colours by meaning. Off unless the config has them.

The host sends the whole picture each time (`light 3=open,7=wrong`); readers not named are dark. Meanings differ in
colour and in rhythm, so that nobody needs to tell red from green: `open` glows, `taken` glows, `wrong` blinks.
While a coil is tuned its lamp is a gauge instead: white, the brighter the better.
At a start each lamp lights up once, in the order of the readers, so that a dark one is noticed.
"""

# meaning -> (red, green, blue in 255ths of the set brightness, blinks)
MEANINGS = {
    "off": (0, 0, 0, False),
    "open": (0, 160, 140, False),
    "taken": (40, 60, 255, False),
    "wrong": (255, 60, 0, True),
}
STRANGE = (60, 60, 60, False)  # a meaning of a newer host: something is meant, we cannot say what
BLINK_MS = 400
BEEP_MS = 80
WALK_MS = 60
NOBODY = -1


class Lamps:
    """`strip` is a NeoPixel or anything with items and `write()`; `places` says which lamp belongs to which reader;
    `shown` is the picture as reader -> meaning."""

    def __init__(self, strip, places: dict[int, int], brightness: int = 40, buzzer=None) -> None:
        self._strip = strip
        self._places = places
        self._buzzer = buzzer
        self.shown: dict[int, str] = {}
        self._dirty = True
        self._phase = False
        self._silent_at: int | None = None
        self._now = 0
        self.brightness = brightness
        self._walk: list[int] = []
        self._walk_on = 0
        self._gauges: dict[int, int] = {}

    def walk(self) -> None:
        """One lamp after the other, until all had their turn or the host has something to show."""
        self._walk = sorted(self._places) + [NOBODY]

    def show(self, lamps: tuple[tuple[int, str], ...]) -> None:
        """The whole picture. A reader that is newly wrong beeps once."""
        before = self.shown
        self._walk = []
        self.shown = {}
        for reader, meaning in lamps:
            self.shown[reader] = meaning
            if meaning == "wrong" and before.get(reader) != "wrong" and self._buzzer:
                self._buzzer(True)
                self._silent_at = self._now + BEEP_MS
        self._dirty = True

    def gauge(self, reader: int | None, level: int) -> None:
        """Show a level, 0 to 255, on a reader's lamp whatever the picture says; None takes all gauges back."""
        if reader is None:
            self._dirty = self._dirty or bool(self._gauges)
            self._gauges = {}
        elif self._gauges.get(reader) != level:
            self._gauges[reader] = level
            self._dirty = True

    def dim(self, brightness: int) -> None:
        self.brightness = brightness
        self._dirty = True

    def step(self, now: int) -> None:
        self._now = now
        if self._silent_at is not None and now >= self._silent_at:
            self._silent_at = None
            self._buzzer(False)
        if self._walk and now >= self._walk_on:
            self.shown = {self._walk.pop(0): "open"}
            self._walk_on = now + WALK_MS
            self._dirty = True
        phase = bool(now // BLINK_MS & 1)
        if self._dirty or (phase != self._phase and "wrong" in self.shown.values()):
            self._phase = phase
            self._dirty = False
            self._paint()

    def _paint(self) -> None:
        for reader in self._places:
            red, green, blue, blinks = MEANINGS.get(self.shown.get(reader, "off"), STRANGE)
            bright = 0 if blinks and self._phase else self.brightness
            level = self._gauges.get(reader)
            if level is not None:
                red = green = blue = level
            self._strip[self._places[reader]] = (
                red * bright // 255,
                green * bright // 255,
                blue * bright // 255,
            )
        self._strip.write()
