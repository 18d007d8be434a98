"""What the host may set while the table runs, and what stays; plain unittest, on both interpreters."""

import json
import os
import unittest

from naqala_firmware.config import ConfigError, complete
from naqala_firmware.lamps import Lamps
from naqala_firmware.life import PROVEN_MS, Life
from naqala_firmware.start import Settings, abilities, set_clock

ROOT = "/tmp/naqala-start-{}/".format("".join([str(byte) for byte in os.urandom(6)]))


class Strip(dict):
    def write(self):
        pass


class SettingsTest(unittest.TestCase):
    def setUp(self):
        os.mkdir(ROOT[:-1])

    def tearDown(self):
        for name in os.listdir(ROOT[:-1]):
            os.remove(ROOT + name)
        os.rmdir(ROOT[:-1])

    def put(self, text):
        with open(ROOT + "naqala.json", "w") as file:
            file.write(text)

    def kept(self):
        with open(ROOT + "naqala.json") as file:
            return json.loads(file.read())

    def test_without_a_file_it_is_a_whole_table(self):
        self.assertEqual(len(Settings(ROOT).config["readers"]), 30)

    def test_a_name_is_kept_beside_the_rest(self):
        self.put('{"link": "usb", "lamps": {"count": 6}}')
        self.assertIn("cellar", Settings(ROOT).change("name", "cellar"))
        self.assertEqual(self.kept(), {"link": "usb", "lamps": {"count": 6}, "name": "cellar"})
        self.assertEqual(Settings(ROOT).config["name"], "cellar")
        self.assertEqual(os.listdir(ROOT[:-1]), ["naqala.json"])

    def test_brightness_is_kept_and_shown_at_once(self):
        settings = Settings(ROOT)
        settings.lamps = Lamps(Strip(), {0: 0})
        settings.change("brightness", "200")
        self.assertEqual(settings.lamps.brightness, 200)
        self.assertEqual(self.kept(), {"lamps": {"brightness": 200}})

    def test_what_cannot_be_set_is_said_and_not_kept(self):
        settings = Settings(ROOT)
        for key, text, words in (
            ("name", "two words", "name: 1 to 32 letters"),
            ("brightness", "0", "brightness: 1 to 255, found '0'"),
            ("brightness", "bright", "brightness: 1 to 255"),
            ("colour", "red", "no setting 'colour'; there are name, brightness, stop"),
        ):
            with self.assertRaises(ValueError) as caught:
                settings.change(key, text)
            self.assertIn(words, str(caught.exception))
        self.assertEqual(os.listdir(ROOT[:-1]), [])

    def test_a_spoilt_file_is_an_error_of_the_config(self):
        self.put('{"link": "us')
        with self.assertRaises(ConfigError):
            Settings(ROOT)

    def test_a_named_certificate_must_be_there(self):
        self.put('{"broker": {"tls": true, "ca": "broker.der"}}')
        with self.assertRaises(ConfigError) as caught:
            Settings(ROOT)
        self.assertIn("no file 'broker.der' is here; `naqala flash --ca FILE`", str(caught.exception))
        with open(ROOT + "broker.der", "wb") as file:
            file.write(b"0")
        self.assertEqual(Settings(ROOT).config["broker"]["ca"], "broker.der")

    def test_the_clock_is_never_earlier_than_the_last_flash(self):
        for text, wanted in (
            ("2999 01 02 03 04 05\n", [(2999, 1, 2, 3, 4, 5)]),
            ("2001 01 02 03 04 05\n", []),
            ("2999 01\n", []),
            ("\n", []),
        ):
            with open(ROOT + "clock", "w") as file:
                file.write(text)
            set_to = []
            set_clock(ROOT, set_to.append)
            self.assertEqual(set_to, wanted)


class Fed:
    def __init__(self):
        self.times = 0

    def feed(self):
        self.times += 1


class Lives(unittest.TestCase):
    def test_a_look_up_has_the_watchdogs_whole_wait_and_is_excused_once(self):
        dog, calls = Fed(), []
        life = Life(dog, lambda: calls.append("proven"), lambda: calls.append("excused"))
        life.look_up()
        life.look_up()
        self.assertEqual((dog.times, calls), (2, ["excused"]))
        life.healthy(PROVEN_MS)
        self.assertEqual((dog.times, calls), (3, ["excused", "proven"]))

    def test_nothing_is_excused_that_has_proved_itself(self):
        calls = []
        life = Life(None, lambda: calls.append("proven"), lambda: calls.append("excused"))
        life.healthy(PROVEN_MS - 1)
        life.healthy(PROVEN_MS)
        life.look_up()
        self.assertEqual(calls, ["proven"])


class Abilities(unittest.TestCase):
    def test_what_a_table_can_do(self):
        self.assertEqual(abilities(complete({})), ("pn5180", "usb", "looked", "tune"))
        rich = complete({"lanes": 5, "lamps": {"count": 30}, "buzzer": True})
        self.assertEqual(abilities(rich), ("pn5180", "usb", "looked", "tune", "lanes", "lights", "buzzer"))


if __name__ == "__main__":
    unittest.main()
