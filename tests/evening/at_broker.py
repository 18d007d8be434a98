"""A simulated table at a broker, on MicroPython, in real time: the firmware's own MQTT link with password and TLS.

micropython at_broker.py SEED NAME WORDS PORT PASSWORD CA: words of the world come from the file WORDS, CA is a DER file.
"""

import sys

here = __file__.rsplit("/", 1)[0]
sys.path[:0] = [here + "/../../firmware", here + "/../../protocol"]

from naqala_firmware.mqtt_link import MqttLink  # noqa: E402
from naqala_firmware.secure import secure  # noqa: E402
from naqala_firmware.simulated.main import run  # noqa: E402

seed, name, words, port, password, ca = sys.argv[1:]
with open(ca, "rb") as authority:  # noqa: PTH123 (MicroPython has no pathlib)
    trusted = secure(authority.read())
broker = {"host": "localhost", "port": int(port), "user": name, "password": password}
with open(words, "rb") as told:  # noqa: PTH123
    run(int(seed), name, told, MqttLink(broker, name, None, trusted))
