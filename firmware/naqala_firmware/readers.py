"""From the config to readers: which chip sits where, as a driver each. Reader numbers are the config's.

`wires` is wires.Wires on the controller and simulated.wiring elsewhere: spi, decoders(), out(pin, level), into(pin).
"""

from naqala_firmware import pins, selection
from naqala_firmware.port import PlainPort


def build(config: dict, wires, clock) -> dict:
    """The drivers by reader number, none of them started. config is complete: see config.py."""
    return dict(zip(sorted(config["readers"]), _drivers(config, wires, clock)))


def _drivers(config: dict, wires, clock) -> list:
    ports = (table_ports if config["wiring"] == "table" else pin_ports)(config["readers"], wires)
    # Only the driver that is needed is loaded: memory is scarce.
    if config["chip"] == "mfrc522":
        from naqala_firmware import mfrc522

        proximity = mfrc522.Lane(wires.spi, clock)
        return [mfrc522.MFRC522(proximity, port) for port in ports]
    from naqala_firmware import pn5180

    vicinity = pn5180.Lane(wires.spi, clock)
    levels = config["power"]
    return [
        pn5180.PN5180(vicinity, port, levels.get(number, 0))
        for number, port in zip(sorted(config["readers"]), ports)
    ]


def table_ports(places: dict, wires) -> list:
    shift, latch, enables, busies = wires.decoders()
    decoded = selection.Decoded(shift, latch, enables, busies, pins.SHIFT)
    return [selection.DecodedPort(decoded, places[n][0], places[n][1]) for n in sorted(places)]


def pin_ports(places: dict, wires) -> list:
    """All NSS high and all RESET low before anybody speaks on the bus they share."""
    lines = [
        (wires.out(places[n][0], 1), wires.into(places[n][1]), wires.out(places[n][2], 0))
        for n in sorted(places)
    ]
    return [PlainPort(nss, busy, reset) for nss, busy, reset in lines]
