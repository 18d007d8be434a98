"""The serial link: finds its controller among the ports, follows it, and finds it again after a cable was pulled.

`serial` takes any controller, `serial:name=oak` the one that says so, `serial:/dev/ttyACM0` that port. Once a
controller was found the link stays with its name: two tables on one machine never swap.

One thread per link. It sleeps in the port's read until bytes come, `send` wakes it, or the follower's next timer is
due; without a controller it looks at the ports four times a second (a replugged cable is back well within 2 s), at
those that never answer ever less often.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Mapping
from typing import Any

import serial
from naqala_protocol import encode

from naqala.link import ports
from naqala.link.desk import Desk
from naqala.link.follow import Follower
from naqala.link.inbox import Health, Inbox, LinkError, Message, Options, clock_ms

LOOK_AGAIN_S = 0.25
SHY_MS = 500  # a port that did not answer is left alone for this long, then twice as long, up to
SHYEST_MS = 4_000
LONGEST_READ_S = 1.0


def make(text: str, options: Options) -> SerialLink:
    """The link for `serial`, `serial:PORT` or `serial:name=NAME`."""
    rest = text.partition(":")[2]
    if rest.startswith("name="):
        if not rest[5:]:
            raise LinkError(f"'{text}' names no controller; `naqala ports` lists their names")
        return SerialLink(text, options, name=rest[5:])
    return SerialLink(text, options, device=rest)


class SerialLink:
    """See the module; the methods are those of `naqala.link.Link`."""

    def __init__(self, text: str, options: Options, name: str = "", device: str = "") -> None:
        self._desk = Desk(text, Follower(mark=options.mark))
        self._name = name
        self._device = device
        self._further = options.ports
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"naqala-{text}", daemon=True)
        self._outbox: deque[bytes] = deque()
        self._port: serial.Serial | None = None
        self._shy: dict[str, tuple[int, int]] = {}  # port -> (not before, pause)

    def start(self, inbox: Inbox) -> None:
        self._desk.open(inbox)
        self._thread.start()

    def send(self, message: Message) -> bool:
        line = encode(message)
        port = self._port
        if port is None:
            return False
        self._outbox.append(line)
        self._wake(port)
        return True

    def publish(self, snapshot: Mapping[str, Any]) -> None:
        """Nobody listens at the far end but the controller."""

    def stop(self) -> None:
        self._stop.set()
        if (port := self._port) is not None:
            self._wake(port)
        if self._thread.is_alive():
            self._thread.join()
        self._desk.close()

    def health(self) -> Health:
        return self._desk.health()

    @staticmethod
    def _wake(port: serial.Serial) -> None:
        with contextlib.suppress(OSError, TypeError):  # closed this very moment: the thread is awake
            port.cancel_read()

    # --- the thread -----------------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._stop.is_set():
            found = self._find()
            if found is None:
                self._stop.wait(LOOK_AGAIN_S)
                continue
            assert found.port is not None
            why = self._follow(found.port, found.data)
            self._port = None
            self._outbox.clear()
            ports.close(found.port)
            if why:
                self._desk.trouble(why)

    def _find(self) -> ports.Found | None:
        """Our controller on an open port, or None after the inbox was told what is in the way."""
        devices = [self._device] if self._device else ports.candidates(self._further)
        now = clock_ms()
        self._shy = {device: shy for device, shy in self._shy.items() if device in devices}
        ready = [device for device in devices if self._shy.get(device, (0, 0))[0] <= now]
        found = ports.ask_all(ready, self._desk.follower.name, self._name, self._stop)
        answers = sorted((one for one in found if one.port is not None), key=lambda one: one.hello.name)
        ours = next((one for one in answers if self._name in ("", one.hello.name)), None)
        for one in answers:
            if one is not ours and one.port is not None:
                ports.close(one.port)
        for one in found:
            self._be_shy(one, ours)
        if ours is not None:
            self._name = ours.hello.name
        elif ready or not devices:
            self._desk.trouble(self._complaint(devices, found))
        return ours

    def _be_shy(self, found: ports.Found, ours: ports.Found | None) -> None:
        """Ports that are not ours are other people's: they get a hello ever less often."""
        if found is ours or found.state == ports.GONE:
            self._shy.pop(found.device, None)
            return
        pause = min(SHYEST_MS, 2 * self._shy.get(found.device, (0, SHY_MS // 2))[1])
        if self._device or found.state in (ports.BUSY, ports.FORBIDDEN):
            pause = SHY_MS
        self._shy[found.device] = (clock_ms() + pause, pause)

    def _complaint(self, devices: list[str], found: list[ports.Found]) -> str:
        whom = f"controller '{self._name}'" if self._name else "a controller"
        if not devices:
            return f"no serial port on this machine; plug {whom} in"
        for state in (ports.FORBIDDEN, ports.BUSY, ports.PROMPT, ports.CONTROLLER):
            for one in found:
                if one.state == state == ports.CONTROLLER:
                    return f"{one.device} is controller '{one.hello.name}'; waiting for {whom}"
                if one.state == state:
                    return one.text if one.device in one.text else f"{one.device}: {one.text}"
        if self._device and found:
            return found[0].text if self._device in found[0].text else f"{self._device}: {found[0].text}"
        return f"looking for {whom} on {', '.join(devices)}"

    def _follow(self, port: serial.Serial, data: bytes) -> str:
        """Carry bytes until the port fails or we stop; returns why it ended, empty when we stopped."""
        desk, follower = self._desk, self._desk.follower
        desk.where = port.port
        self._port = port
        try:
            self._write(port, desk.take(follower.connected(clock_ms())))
            while not self._stop.is_set():
                if data:
                    self._write(port, desk.take(follower.feed(data, clock_ms())))
                else:
                    self._write(port, desk.take(follower.tick(clock_ms())))
                while self._outbox:
                    port.write(self._outbox.popleft())
                port.timeout = desk.wait(LONGEST_READ_S)
                data = port.read(1)
                data += port.read(port.in_waiting) if data else b""
        except serial.SerialTimeoutException:
            return f"{port.port} takes no more lines; the controller hangs or its cable is bad"
        except (OSError, TypeError) as error:  # TypeError: pyserial, when the port vanishes inside a call
            return f"{port.port} went away ({error}); waiting for it to come back"
        return ""

    @staticmethod
    def _write(port: serial.Serial, lines: list[bytes]) -> None:
        for line in lines:
            port.write(line)
