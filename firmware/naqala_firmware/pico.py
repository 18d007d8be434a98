"""The controller's own hardware besides the readers: clock, watchdog, lamps, buzzer, Wi-Fi. With main.py and wires.py it is
all that touches `machine`.

For a Pico 2 W; the same names exist on a Pico W and an ESP32-S3, whose pins are in pins.py, too.
"""

import machine

from naqala_firmware.pins import PINS, PLATFORM

WIFI_WAIT_MS = 15000  # between two tries to join


def watchdog(milliseconds: int):
    return machine.WDT(timeout=milliseconds)


def set_clock(moment) -> None:
    """(year, month, day, hour, minute, second); the day of the week is nobody's business here."""
    year, month, day, hour, minute, second = moment
    machine.RTC().datetime((year, month, day, 0, hour, minute, second, 0))


class Strip:
    """WS2812 lamps on one pin. MicroPython's own module for them is not in every image; what it calls is."""

    TIMES_NS = (400, 850, 800, 450)  # a zero: high, low; a one: high, low

    def __init__(self, pin, count: int) -> None:
        self._pin = pin
        self._colours = bytearray(3 * count)  # green, red, blue

    def __setitem__(self, lamp: int, colour: tuple[int, int, int]) -> None:
        self._colours[3 * lamp], self._colours[3 * lamp + 1], self._colours[3 * lamp + 2] = (
            colour[1],
            colour[0],
            colour[2],
        )

    def write(self) -> None:
        machine.bitstream(self._pin, 0, self.TIMES_NS, self._colours)


def strip(count: int) -> Strip:
    return Strip(machine.Pin(PINS[PLATFORM]["LAMPS"], machine.Pin.OUT, value=0), count)


def buzzer():
    """A function that switches a piezo on and off: 2.4 kHz, half the time on."""
    tone = machine.PWM(machine.Pin(PINS[PLATFORM]["BUZZER"]))
    tone.freq(2400)
    tone.duty_u16(0)
    return lambda on: tone.duty_u16(32768 if on else 0)


class Wifi:
    """Joins and joins again; calling it says whether there is a network, and never waits."""

    def __init__(self, wifi, name):
        import time

        import network

        self._ticks_ms, self._diff = time.ticks_ms, time.ticks_diff
        self._wifi = wifi
        if wifi["country"]:
            network.country(wifi["country"])
        network.hostname(name)
        self._station = network.WLAN(network.STA_IF)
        self._station.active(True)
        try:
            # A radio that naps answers a tenth of a second late.
            self._station.config(pm=self._station.PM_NONE)
        except (AttributeError, ValueError):
            pass  # a radio without this setting never naps
        self._tried = None

    def __call__(self) -> bool:
        if self._station.isconnected():
            return True
        now = self._ticks_ms()
        if self._tried is None or self._diff(now, self._tried) > WIFI_WAIT_MS:
            self._tried = now
            self._station.disconnect()
            self._station.connect(self._wifi["ssid"], self._wifi["password"])
        return False
