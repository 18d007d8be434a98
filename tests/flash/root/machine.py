"""The chip's own module where there is no chip: nothing answers on the bus, a reset ends the program.

Lies in the root of the flash that prompt_main.py offers, and takes the place of MicroPython's `machine`.
"""


class Pin:
    IN, OUT = 0, 1

    def __init__(self, number, mode=0, value=0):
        self.level = value if mode == Pin.OUT else 0

    def value(self, level=None):
        if level is None:
            return self.level
        self.level = level
        return None


class SPI:
    def __init__(self, *arguments, **settings):
        pass

    def init(self, baudrate):
        pass

    def write(self, data):
        pass

    def readinto(self, into, fill=0):
        for i in range(len(into)):
            into[i] = 255  # nobody drives the line


class WDT:
    def __init__(self, timeout):
        self.timeout = timeout

    def feed(self):
        pass


def reset():
    raise SystemExit("reset")
