"""The whole firmware on simulated chips as a process of its own, in real time, on MicroPython or CPython.

usage: table_main.py serial | mqtt PORT. The hand is moved over the wire: `config place "TAG READER"` (simulated.table).
"""

import sys

here = __file__.rsplit("/", 1)[0]
sys.path[:0] = [here + "/../../firmware", here + "/../../protocol"]

import time  # noqa: E402

from naqala_firmware.life import keep_heap_whole  # noqa: E402
from naqala_firmware.simulated.table import SimulatedTable  # noqa: E402


def link_of(arguments):
    if arguments[0] == "serial":
        from naqala_firmware.serial_link import SerialLink

        return SerialLink()
    from naqala_firmware.mqtt_link import MqttLink

    return MqttLink({"host": "127.0.0.1", "port": int(arguments[1])}, "virtual")


def microseconds():
    return time.ticks_us() if hasattr(time, "ticks_us") else time.monotonic_ns() // 1000


link = link_of(sys.argv[1:])
table = SimulatedTable(30, seed=9, link=link)
keep_heap_whole()
link.start()
began = microseconds()
while not table.controller.stopped:
    table.step()
    ahead = table.now_us - (microseconds() - began)
    if ahead > 1000:
        time.sleep(ahead / 1000000)
link.stop()
