"""The controller as a process of its own, on MicroPython: scripted readers, the real clock, a real link.

usage: scripted_main.py serial | mqtt PORT [USER PASSWORD [CA]]. The test moves tags with `config put "READER TAG..."`,
or `config later "MS READER TAG..."`, and breaks readers with `config break "READER CODE"` (`-` mends).
"""

import sys

here = __file__.rsplit("/", 1)[0]
sys.path[:0] = [here + "/../..", here + "/../../firmware", here + "/../../protocol"]

import gc  # noqa: E402

from naqala_firmware.clock import Clock  # noqa: E402
from naqala_firmware.controller import Controller  # noqa: E402
from naqala_firmware.life import boot_number, keep_heap_whole  # noqa: E402

from tests.firmware.scripted import ScriptedReader  # noqa: E402

clock = Clock()
later = []
readers = {number: ScriptedReader(clock) for number in range(30)}


def configure(key, text):
    words = text.split(" ")
    if key == "later":
        later.append((controller.now + int(words[0]), int(words[1]), words[2:]))
        return "later"
    reader = readers[int(words[0])]
    if key == "put":
        reader.tags = set(words[1:])
    elif key == "break":
        reader.fault = None if words[1] == "-" else words[1]
    else:
        raise ValueError("put or break")
    return key + " done"


def link_of(arguments):
    if arguments[0] == "serial":
        from naqala_firmware.serial_link import SerialLink

        return SerialLink()
    from naqala_firmware.mqtt_link import MqttLink

    broker = {"host": "127.0.0.1", "port": int(arguments[1])}
    secure = None
    if len(arguments) > 3:
        broker["user"], broker["password"] = arguments[2], arguments[3]
    if len(arguments) > 4:
        from naqala_firmware.secure import secure as wrapping

        with open(arguments[4], "rb") as file:
            secure = wrapping(file.read())
        broker["host"] = "localhost"
    return MqttLink(broker, "scripted", None, secure)


link = link_of(sys.argv[1:])
controller = Controller(
    readers, link, clock, "scripted", "test", boot_number(), configure=configure, free=gc.mem_free
)
keep_heap_whole()
link.start()
retry = 0
while not controller.stopped:
    controller.step()
    if sys.argv[1] == "mqtt" and link._retry != retry:
        retry = link._retry
        print(link.problem)  # every try that failed, for the test to hear of
    for due in [due for due in later if due[0] <= controller.now]:
        later.remove(due)
        readers[due[1]].tags = set(due[2])
link.stop()
