"""Putting the parts together on the controller: config and wires in, a running loop out. Called by main.py.

`run` returns when the host asked for the prompt. Whatever goes wrong before the loop is an exception for main.py to
write down; in safe mode nothing is touched but USB, and the last words of the failed start are said.
"""

import gc
import json
import os
import time

from naqala_protocol import encode

from naqala_firmware.clock import Clock
from naqala_firmware.config import ConfigError, is_name, load
from naqala_firmware.controller import Controller
from naqala_firmware.lamps import Lamps
from naqala_firmware.life import WATCHDOG_MS, Life, boot_number, keep_heap_whole
from naqala_firmware.pins import PLATFORM
from naqala_firmware.serial_link import SerialLink

CONFIG = "naqala.json"


def run(root: str, folder: str, careful: bool) -> None:
    """The table, until the host asks to stop."""
    keep_heap_whole()
    controller = safe(root, folder) if careful else table(root, folder)
    link = controller.link
    if not isinstance(link, SerialLink):
        print(encode(controller.hello()).decode(), end="")  # one word over USB, for who has just flashed it
    link.start()
    try:
        while not controller.stopped:
            controller.step()
    finally:
        link.stop()


def table(root: str, folder: str) -> Controller:
    from naqala_firmware import pico, readers, wires

    clock = Clock()
    try:
        settings = Settings(root)
    except ConfigError as error:
        return _without_readers(root, folder, "config", str(error))
    config = settings.config
    set_clock(root, pico.set_clock)
    lamps = None
    if config["lamps"]["count"]:
        sound = pico.buzzer() if config["buzzer"] else None
        strip = pico.strip(config["lamps"]["count"])
        lamps = settings.lamps = Lamps(strip, config["lamps"]["places"], config["lamps"]["brightness"], sound)
        lamps.walk()
    own = wires.Wires(PLATFORM)
    built = readers.build(config, own, clock)
    speed = set_speed(config, built, own)
    life = Life(pico.watchdog(WATCHDOG_MS), lambda: _boots(root, "0"), lambda: _excuse(root))
    controller = Controller(
        built,
        _link(root, config, pico, life),
        clock,
        config["name"],
        folder,
        boot_number(),
        abilities(config),
        lamps,
        life,
        settings.change,
        gc.mem_free,
        lanes=_lanes(config, own.spi, clock),
        width=config["lanes"],
        places=config["readers"] if config["wiring"] == "table" else None,
    )
    controller.log("info", speed)
    words = _last_words(root)
    if words:
        controller.log("warning", words)
    if config["link"] == "mqtt" and config["broker"]["tls"] and not config["broker"]["ca"]:
        controller.log(
            "warning", "TLS without `ca`: what is said is secret, but nobody checks that it is your broker"
        )
    return controller


def set_speed(config: dict, built: dict, own) -> str:
    """The bus as fast as the config says, or as its test finds; what was done, for people."""
    if config["spi"]:
        own.set_speed(config["spi"])
        return "bus: %d kHz, by the config" % (config["spi"] // 1000)
    if config["chip"] != "pn5180":
        return "bus: as fast as the chip allows"
    from naqala_firmware import bus

    return bus.fastest(built, own.set_speed)[1]


def safe(root: str, folder: str) -> Controller:
    return _without_readers(
        root, folder, "safe", "safe mode: three starts failed; `naqala flash` puts it right"
    )


def _without_readers(root: str, folder: str, ability: str, why: str) -> Controller:
    """Only a word over USB; boots are not set back, nothing is proved by this."""
    controller = Controller(
        {}, SerialLink(), Clock(), "naqala", folder, boot_number(), (ability,), free=gc.mem_free
    )
    words = _last_words(root)
    controller.complain(why + ("; " + words if words else ""))
    return controller


def _lanes(config: dict, spi, clock):
    if config["lanes"] == 1:
        return None
    from naqala_firmware import lanes, pn5180

    return lanes.Lanes(pn5180.Lane(spi, clock), config["lanes"])


def _link(root: str, config: dict, pico, life: Life):
    if config["link"] == "usb":
        return SerialLink()
    from naqala_firmware.mqtt_link import MqttLink

    secure = None
    broker = config["broker"]
    if broker["tls"]:
        from naqala_firmware.secure import secure as wrapping

        secure = wrapping(_bytes(root + broker["ca"]) if broker["ca"] else b"")
    network = pico.Wifi(config["wifi"], config["name"])
    return MqttLink(broker, config["name"], network, secure, life.look_up)


def set_clock(root: str, set_to) -> None:
    """A clock without a battery starts years ago, when no certificate of today was valid yet.

    `clock` has the moment of the last flash (UTC, six numbers): it is at least that late.
    """
    moment = tuple([int(word) for word in _text(root + "clock").split() if word.isdigit()])
    if len(moment) == 6 and tuple(time.gmtime()[:6]) < moment:
        set_to(moment)


def abilities(config: dict) -> tuple[str, ...]:
    """What this table can do, for `hello`."""
    found = [config["chip"], config["link"], "looked"]
    if config["chip"] == "pn5180":
        found.append("tune")
    if config["lanes"] > 1:
        found.append("lanes")
    if config["lamps"]["count"]:
        found.append("lights")
        if config["buzzer"]:
            found.append("buzzer")
    return tuple(found)


class Settings:
    """The config file, and the few things in it that the host may change while the table runs (`config key text`)."""

    def __init__(self, root: str) -> None:
        self._path = root + CONFIG
        self._text = _text(self._path) or "{}"
        self.config = load(self._text, PLATFORM)
        ca = self.config["broker"]["ca"]
        if ca and not _bytes(root + ca):
            raise ConfigError(["broker.ca: no file '%s' is here; `naqala flash --ca FILE` sends it" % ca])
        self.lamps: Lamps | None = None

    def change(self, key: str, text: str) -> str:
        """Do it and keep it; the answer in words. ValueError says what may be changed, and to what."""
        given = json.loads(self._text)
        if key == "name":
            if not is_name(text):
                raise ValueError("name: 1 to 32 letters, digits or . _ - are allowed, found '%s'" % text)
            given["name"] = text
            answer = "the name is '%s' from the next start on" % text
        elif key == "brightness":
            if not text.isdigit() or not 1 <= int(text) <= 255:
                raise ValueError("brightness: 1 to 255, found '%s'" % text)
            given.setdefault("lamps", {})["brightness"] = int(text)
            if self.lamps:
                self.lamps.dim(int(text))
            answer = "the brightness is %s" % text
        else:
            raise ValueError("no setting '%s'; there are name, brightness, stop" % key)
        changed = json.dumps(given)
        with open(self._path + ".new", "w") as file:
            file.write(changed)
        os.rename(self._path + ".new", self._path)
        self._text = changed
        return answer


def _boots(root: str, failures: str) -> None:
    """The count that main.py keeps; without its `running` a bite of the watchdog is not counted."""
    with open(root + "boots", "w") as file:
        file.write(failures + "\n")


def _excuse(root: str) -> None:
    _boots(root, (_text(root + "boots").split() or ["0"])[0])


def _last_words(root: str) -> str:
    """What the start before left behind when it failed, said once."""
    words = _text(root + "crash")
    if not words:
        return ""
    os.remove(root + "crash")
    lines = [line.strip() for line in words.split("\n") if line.strip()]
    return "the start before failed: " + " / ".join([lines[-i] for i in range(1, 1 + min(3, len(lines)))])


def _text(path: str) -> str:
    return _bytes(path).decode()


def _bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
