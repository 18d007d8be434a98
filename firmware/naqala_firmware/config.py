"""The controller's one config file, `naqala.json`: JSON text in, a complete and checked dictionary out.

What is absent takes its default, so `{}` is a whole table of thirty PN5180 on USB. What is wrong is said key by key, all
of it at once, in words that tell what was found and what may stand there. The same check runs on the host before a file
is ever copied (`naqala flash`) and on the controller before it is believed.

| key | what | default |
|---|---|---|
| `name` | the table's name, as hosts and MQTT topics show it | `naqala` |
| `link` | `usb` or `mqtt` | `usb` |
| `wifi` | `ssid`, `password`, `country` (two letters) | none |
| `broker` | `host`, `port`, `user`, `password`, `tls`, `ca` (a .der file on the controller) | none, 1883 |
| `chip` | `pn5180` or `mfrc522` | `pn5180` |
| `wiring` | `table` (rows and decoders) or `pins` (a pin for each signal) | `table` |
| `readers` | number -> [row, column] for `table`, number -> [nss, busy, reset] for `pins` | 5 rows of 6 |
| `lanes` | 1, or up to 5 readers of different rows at once (`table` with PN5180) | 1 |
| `spi` | the readers' bus in Hz, 100000 to 7000000; 0 finds the fastest that is clean at every start | 0 |
| `power` | transmit power of PN5180 readers, 1 to 19: number -> level; absent ones use the chip's own | none |
| `lamps` | `count`, `brightness` 1..255, `places` number -> lamp | no lamps |
| `buzzer` | `true` when one is wired, beside lamps | `false` |
"""

import json

from naqala_protocol import MOST_READERS

from naqala_firmware.pins import COLUMNS, FREE, PINS, ROWS

LINKS = ("usb", "mqtt")
CHIPS = ("pn5180", "mfrc522")
WIRINGS = ("table", "pins")
SHAPES = {"table": ("row", "column"), "pins": ("nss", "busy", "reset")}
LIMITS = {"row": ROWS - 1, "column": COLUMNS - 1}
WIFI = {"ssid": "", "password": "", "country": ""}
BROKER = {"host": "", "port": 1883, "user": "", "password": "", "tls": False, "ca": ""}
LAMPS = {"count": 0, "brightness": 40, "places": {}}
KINDS = {str: "a text", int: "a number", bool: "true or false", dict: "an object"}
KEYS = (
    "name",
    "link",
    "wifi",
    "broker",
    "chip",
    "wiring",
    "readers",
    "lanes",
    "spi",
    "power",
    "lamps",
    "buzzer",
)


SPI_HZ = (100_000, 7_000_000)
MOST_POWER = 19  # of the PN5180 driver, which a test compares: the host checks configs without it


class ConfigError(ValueError):
    """The file cannot be used; `problems` has a sentence for each thing that is wrong."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


def load(text: str, platform: str = "rp2") -> dict:
    """The whole config that this text stands for; ConfigError says everything that is wrong with it.

    `platform` is whose pins there are, by sys.platform: see pins.py.
    """
    try:
        given = json.loads(text)
    except ValueError:
        given = None
    # MicroPython's json takes a text that breaks off for a whole one: a file half written must not be believed.
    if given is None or not text.strip().endswith("}"):
        raise ConfigError(["the config is not a whole JSON object"])
    return complete(given, platform)


def complete(given: dict, platform: str = "rp2") -> dict:
    """A config with every key, checked; `readers` as number -> list of numbers."""
    if not isinstance(given, dict):
        raise ConfigError(["the config is not a JSON object"])
    problems: list[str] = []
    for key in given:
        if key not in KEYS:
            problems.append("unknown key '%s'; known are %s" % (key, ", ".join(KEYS)))
    config = {
        "name": given.get("name", "naqala"),
        "link": _one_of(given, "link", LINKS, problems),
        "chip": _one_of(given, "chip", CHIPS, problems),
        "wiring": _one_of(given, "wiring", WIRINGS, problems),
        "wifi": _part(given, "wifi", WIFI, problems),
        "broker": _part(given, "broker", BROKER, problems),
        "lamps": _part(given, "lamps", LAMPS, problems),
        "buzzer": given.get("buzzer", False),
        "lanes": given.get("lanes", 1),
        "spi": given.get("spi", 0),
    }
    if not is_name(config["name"]):
        problems.append("name: 1 to 32 letters, digits or . _ - are allowed, found %r" % (config["name"],))
    if not isinstance(config["buzzer"], bool):
        problems.append("buzzer: true or false is needed, found %r" % (config["buzzer"],))
    if not _within(config["lanes"], 1, ROWS):
        problems.append("lanes: 1 to %d, found %r" % (ROWS, config["lanes"]))
    elif config["lanes"] > 1 and (config["wiring"], config["chip"]) != ("table", "pn5180"):
        problems.append("lanes: only PN5180 on a table's wiring can be asked together")
    if config["spi"] != 0 and not _within(config["spi"], *SPI_HZ):
        problems.append("spi: 0, or %d to %d Hz, found %r" % (SPI_HZ + (config["spi"],)))
    config["readers"] = _readers(given, config["wiring"], problems)
    config["power"] = _power(given, config, problems)
    if config["wiring"] == "pins":
        _check_pins(config, platform, problems)
    _check_network(config, problems)
    _check_lamps(config, problems)
    if problems:
        raise ConfigError(problems)
    return config


def _power(given: dict, config: dict, problems: list[str]) -> dict:
    found = given.get("power", {})
    if not isinstance(found, dict):
        problems.append("power: an object of reader numbers and levels is needed, found %r" % (found,))
        return {}
    levels = {}
    for key in found:
        number = _reader_number(key)
        if number not in config["readers"] or not _within(found[key], 1, MOST_POWER):
            problems.append(
                "power: '%s' to %r is no reader of this table with a level of 1 to %d"
                % (key, found[key], MOST_POWER)
            )
        else:
            levels[number] = found[key]
    if levels and config["chip"] != "pn5180":
        problems.append("power: only a PN5180 can be set")
    return levels


def _one_of(given: dict, key: str, known: tuple[str, ...], problems: list[str]) -> str:
    value = given.get(key, known[0])
    if value not in known:
        problems.append("%s: one of %s is needed, found %r" % (key, ", ".join(known), value))
        return known[0]
    return value


def _part(given: dict, key: str, defaults: dict, problems: list[str]) -> dict:
    """A sub-object, its absent keys filled in; each value must be of its default's kind."""
    found = given.get(key, {})
    if not isinstance(found, dict):
        problems.append(
            "%s: an object with %s is needed, found %r" % (key, ", ".join(sorted(defaults)), found)
        )
        found = {}
    for name in found:
        if name not in defaults:
            problems.append("%s: unknown key '%s'; known are %s" % (key, name, ", ".join(sorted(defaults))))
    part = {}
    for name in defaults:
        part[name] = found.get(name, defaults[name])
        if type(part[name]) is not type(defaults[name]):
            kind = KINDS[type(defaults[name])]
            problems.append("%s.%s: %s is needed, found %r" % (key, name, kind, part[name]))
            part[name] = defaults[name]
    return part


def _readers(given: dict, wiring: str, problems: list[str]) -> dict:
    found = given.get("readers")
    if found is None and wiring == "table":
        return {row * COLUMNS + column: [row, column] for row in range(ROWS) for column in range(COLUMNS)}
    if not isinstance(found, dict) or not found:
        problems.append("readers: an object of reader numbers is needed, found %r" % (found,))
        return {}
    shape = SHAPES[wiring]
    readers: dict[int, list[int]] = {}
    places: dict = {}
    for key in found:
        number = _reader_number(key)
        if number is None:
            problems.append("readers: '%s' is no reader number (0 to %d)" % (key, MOST_READERS - 1))
            continue
        place = found[key]
        if not isinstance(place, list) or len(place) != len(shape):
            problems.append("reader %d: [%s] is needed, found %r" % (number, ", ".join(shape), place))
            continue
        if wiring == "table":
            _check_place(number, place, places, problems)
        readers[number] = place
    return readers


def _check_place(number: int, place: list, places: dict, problems: list[str]) -> None:
    """One place of the table, and that no other reader has it; `places` are those so far."""
    for name, value in zip(SHAPES["table"], place):
        if not _within(value, 0, LIMITS[name]):
            problems.append("reader %d: %s is 0 to %d, found %r" % (number, name, LIMITS[name], value))
    where = str(place)
    if where in places:
        problems.append("readers %d and %d are both at row/column %s" % (places[where], number, where))
    places[where] = number


def _check_pins(config: dict, platform: str, problems: list[str]) -> None:
    """Every wire has a pin of its own, and one that this controller has."""
    numbers = PINS[platform]
    taken = {numbers[wire]: wire for wire in ("SCK", "MOSI", "MISO")}
    if config["lamps"]["count"]:
        taken[numbers["LAMPS"]] = "LAMPS"
    if config["buzzer"] is True:
        taken[numbers["BUZZER"]] = "BUZZER"
    for number in sorted(config["readers"]):
        for name, pin in zip(SHAPES["pins"], config["readers"][number]):
            wire = "%s of reader %d" % (name, number)
            if not _within(pin, 0, 255) or pin not in FREE[platform]:
                problems.append("%s: %r is no pin to use" % (wire, pin))
            elif name == "busy" and config["chip"] == "mfrc522":
                continue  # this chip has no such wire
            elif pin in taken:
                problems.append("%s: pin %d is %s already" % (wire, pin, taken[pin]))
            else:
                taken[pin] = wire


def _check_network(config: dict, problems: list[str]) -> None:
    broker, wifi = config["broker"], config["wifi"]
    if not 1 <= broker["port"] <= 65535:
        problems.append("broker.port: 1 to 65535, found %d" % broker["port"])
    if broker["ca"] and (not broker["tls"] or "/" in broker["ca"] or not broker["ca"].endswith(".der")):
        problems.append(
            "broker.ca: with tls, the name of a .der file on the controller, found %r" % broker["ca"]
        )
    if wifi["country"] and len(wifi["country"]) != 2:
        problems.append("wifi.country: two letters, found %r" % wifi["country"])
    if config["link"] == "mqtt":
        if not broker["host"]:
            problems.append("broker.host: the link is mqtt, so the broker's address is needed")
        if not wifi["ssid"]:
            problems.append("wifi.ssid: the link is mqtt, so a network is needed")


def _check_lamps(config: dict, problems: list[str]) -> None:
    lamps = config["lamps"]
    if not 0 <= lamps["count"] <= 256:
        problems.append("lamps.count: 0 to 256, found %d" % lamps["count"])
    if not 1 <= lamps["brightness"] <= 255:
        problems.append("lamps.brightness: 1 to 255, found %d" % lamps["brightness"])
    if config["buzzer"] is True and not lamps["count"]:
        problems.append("buzzer: it sounds with the lamps, so lamps.count is needed")
    places = {}
    for key in lamps["places"]:
        number, lamp = _reader_number(key), lamps["places"][key]
        if number is None or not _within(lamp, 0, lamps["count"] - 1):
            problems.append("lamps.places: '%s' to %r is no reader and lamp of this table" % (key, lamp))
        else:
            places[number] = lamp
    if not lamps["places"]:  # one lamp after the other, in the order of the readers
        places = dict(zip(sorted(config["readers"]), range(lamps["count"])))
    lamps["places"] = places


def is_name(value: object) -> bool:
    """A name that the wire can carry, and a broker as a topic: there a + would mean any table."""
    if not isinstance(value, str) or not 1 <= len(value) <= 32:
        return False
    for character in value:
        if not ("a" <= character.lower() <= "z" or "0" <= character <= "9" or character in "._-"):
            return False
    return True


def _reader_number(key: object) -> int | None:
    if isinstance(key, str) and key.isdigit() and int(key) < MOST_READERS:
        return int(key)
    return None


def _within(value: object, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
