"""The config file: defaults, and an answer for everything that can be wrong; plain unittest, on both interpreters."""

import json
import unittest

from naqala_firmware.config import ConfigError, complete, load

# (config, words that must stand in the complaint)
WRONG = (
    ({"nane": "x"}, "unknown key 'nane'; known are name, link"),
    ({"name": "two words"}, "name: 1 to 32 letters"),
    ({"name": ""}, "name: 1 to 32 letters"),
    ({"name": "oak+elm"}, "name: 1 to 32 letters, digits or . _ - are allowed"),
    ({"name": 7}, "name: 1 to 32 letters"),
    ({"link": "smoke"}, "link: one of usb, mqtt is needed, found 'smoke'"),
    ({"chip": "rc522"}, "chip: one of pn5180, mfrc522"),
    ({"wiring": []}, "wiring: one of table, pins"),
    ({"wifi": "attic"}, "wifi: an object with country, password, ssid is needed"),
    ({"wifi": {"pass": "x"}}, "wifi: unknown key 'pass'"),
    ({"broker": {"port": "1883"}}, "broker.port: a number is needed, found '1883'"),
    ({"broker": {"port": 0}}, "broker.port: 1 to 65535, found 0"),
    ({"broker": {"tls": 1}}, "broker.tls: true or false is needed, found 1"),
    ({"broker": {"ca": "broker.der"}}, "broker.ca: with tls, the name of a .der file"),
    ({"broker": {"tls": True, "ca": "../x.der"}}, "broker.ca: with tls, the name of a .der file"),
    ({"broker": {"tls": True, "ca": "broker.pem"}}, "broker.ca: with tls, the name of a .der file"),
    ({"wifi": {"country": "DEU"}}, "wifi.country: two letters"),
    (
        {"link": "mqtt", "wifi": {"ssid": "a"}},
        "broker.host: the link is mqtt, so the broker's address is needed",
    ),
    ({"link": "mqtt", "broker": {"host": "a"}}, "wifi.ssid: the link is mqtt, so a network is needed"),
    ({"readers": []}, "readers: an object of reader numbers is needed"),
    ({"wiring": "pins"}, "readers: an object of reader numbers is needed, found None"),
    ({"readers": {"x": [0, 0]}}, "'x' is no reader number (0 to 63)"),
    ({"readers": {"64": [0, 0]}}, "'64' is no reader number"),
    ({"readers": {"3": [0]}}, "reader 3: [row, column] is needed, found [0]"),
    ({"readers": {"3": [5, 0]}}, "reader 3: row is 0 to 4, found 5"),
    ({"readers": {"3": [0, True]}}, "reader 3: column is 0 to 5, found True"),
    ({"readers": {"1": [2, 2], "9": [2, 2]}}, "are both at row/column [2, 2]"),
    ({"wiring": "pins", "readers": {"0": [1, 2]}}, "reader 0: [nss, busy, reset] is needed"),
    ({"readers": {}}, "readers: an object of reader numbers is needed, found {}"),
    (
        {"wiring": "pins", "readers": {"0": [8, 13, 20], "1": [9, 13, 21]}},
        "busy of reader 1: pin 13 is busy of reader 0 already",
    ),
    (
        {"wiring": "pins", "readers": {"0": [8, 13, 20], "1": [9, 14, 20]}},
        "reset of reader 1: pin 20 is reset of reader 0 already",
    ),
    ({"wiring": "pins", "readers": {"0": [8, 8, 20]}}, "busy of reader 0: pin 8 is nss of reader 0 already"),
    ({"wiring": "pins", "readers": {"0": [2, 13, 20]}}, "nss of reader 0: pin 2 is SCK already"),
    (
        {"wiring": "pins", "readers": {"0": [18, 13, 20]}, "lamps": {"count": 1}},
        "nss of reader 0: pin 18 is LAMPS already",
    ),
    ({"wiring": "pins", "readers": {"0": [8, 13, 29]}}, "reset of reader 0: 29 is no pin to use"),
    ({"wiring": "pins", "readers": {"0": [8, 13, True]}}, "reset of reader 0: True is no pin to use"),
    ({"wiring": "pins", "readers": {"0": [8, 13, "20"]}}, "reset of reader 0: '20' is no pin to use"),
    ({"buzzer": True}, "buzzer: it sounds with the lamps, so lamps.count is needed"),
    ({"lamps": {"count": 999}}, "lamps.count: 0 to 256, found 999"),
    ({"lamps": {"brightness": 0}}, "lamps.brightness: 1 to 255, found 0"),
    ({"lamps": {"count": 2, "places": {"0": 2}}}, "lamps.places: '0' to 2 is no reader and lamp"),
    ({"lanes": 6}, "lanes: 1 to 5, found 6"),
    ({"lanes": 2, "chip": "mfrc522"}, "lanes: only PN5180 on a table's wiring can be asked together"),
    ({"buzzer": 19}, "buzzer: true or false is needed, found 19"),
)


class Right(unittest.TestCase):
    def test_nothing_said_is_a_whole_table_on_usb(self):
        config = load("{}")
        self.assertEqual((config["name"], config["link"], config["chip"]), ("naqala", "usb", "pn5180"))
        self.assertEqual(len(config["readers"]), 30)
        self.assertEqual(config["readers"][17], [2, 5])
        self.assertEqual(config["lamps"]["count"], 0)

    def test_a_small_kit(self):
        config = load('{"chip": "mfrc522", "wiring": "pins", "readers": {"0": [5, 0, 6], "1": [7, 0, 8]}}')
        self.assertEqual(config["readers"], {0: [5, 0, 6], 1: [7, 0, 8]})

    def test_pins_are_those_of_the_controller(self):
        kit = {"wiring": "pins", "readers": {"0": [38, 39, 47]}}
        self.assertEqual(complete(kit, "esp32")["readers"], {0: [38, 39, 47]})
        with self.assertRaises(ConfigError) as caught:
            complete(kit, "rp2")
        self.assertEqual(len(caught.exception.problems), 3)

    def test_lamps_follow_the_readers_unless_told(self):
        few = {"readers": {"7": [0, 1], "3": [0, 0], "12": [2, 0]}, "lamps": {"count": 2}}
        self.assertEqual(complete(few)["lamps"]["places"], {3: 0, 7: 1})
        self.assertEqual(complete({"lamps": {"count": 30}})["lamps"]["places"][29], 29)
        placed = complete({"lamps": {"count": 30, "places": {"4": 0}}})
        self.assertEqual(placed["lamps"]["places"], {4: 0})

    def test_a_config_by_mqtt(self):
        text = '{"link": "mqtt", "wifi": {"ssid": "a"}, "broker": {"host": "10.0.0.2", "user": "t"}}'
        self.assertEqual(load(text)["broker"]["port"], 1883)


class Wrong(unittest.TestCase):
    def test_each_mistake_is_named(self):
        for config, words in WRONG:
            with self.assertRaises(ConfigError) as caught:
                load(json.dumps(config))
            self.assertIn(words, str(caught.exception), config)

    def test_no_json_and_no_object(self):
        for text in ("", "{", '{"name": "a", "link": "us', "[]", '"x"', "null", "3"):
            with self.assertRaises(ConfigError):
                load(text)

    def test_all_mistakes_are_said_at_once(self):
        with self.assertRaises(ConfigError) as caught:
            complete({"name": "a b", "link": "x", "readers": {"99": []}})
        self.assertEqual(len(caught.exception.problems), 3)


class Radio(unittest.TestCase):
    def test_bus_speed_and_power(self):
        whole = complete({"spi": 1_000_000, "power": {"3": 12, "29": 19}})
        self.assertEqual((whole["spi"], whole["power"]), (1_000_000, {3: 12, 29: 19}))
        self.assertEqual((complete({})["spi"], complete({})["power"]), (0, {}))

    def test_what_is_wrong_with_them_is_named(self):
        for given, told in (
            ({"spi": 8_000_000}, "spi: 0, or 100000 to 7000000 Hz, found 8000000"),
            ({"spi": "fast"}, "spi: 0, or 100000 to 7000000 Hz, found 'fast'"),
            ({"power": {"30": 5}}, "power: '30' to 5 is no reader of this table with a level of 1 to 19"),
            ({"power": {"3": 20}}, "power: '3' to 20 is no reader"),
            ({"power": 7}, "power: an object of reader numbers and levels is needed"),
            ({"chip": "mfrc522", "power": {"3": 5}}, "power: only a PN5180 can be set"),
        ):
            with self.assertRaises(ConfigError) as caught:
                complete(given)
            self.assertIn(told, str(caught.exception))


if __name__ == "__main__":
    unittest.main()
