"""The link over Wi-Fi: MQTT 3.1.1, the same lines, never waiting. QoS 1, last will, reconnect with back-off, TLS.

Topics: `naqala/<table>/up` (our lines), `/down` (the host's), `/status` (`online`, or by the broker's hand `offline`,
retained). The session is clean: what was under way when a connection broke is not sent again by this file, because the
lines are in the ring and the host asks for what it lacks after our `hello`. The one call that may wait is the look-up
of the broker's name (an address in numbers never does); when it fails, the address that was found last is tried.
"""

import errno
import select
import socket

from naqala_protocol import LONGEST_LINE

KEEP_ALIVE_S = 20
PING_MS = 8000  # of silence from the broker
ANSWER_MS = 8000  # a broker that answers nothing for so long is gone
FIRST_WAIT_MS = 500  # between two tries to reach the broker, then twice as long, up to
LAST_WAIT_MS = 30000
WINDOW = 16  # publications not yet acknowledged
LONGEST_PACKET = LONGEST_LINE + 128
CHUNK = 512  # bytes read or written at once
MOST_CHUNKS = 4  # in one turn

DOWN, REACHING, GREETING, SUBSCRIBING, UP = range(5)
CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK, PING = 0x10, 0x20, 0x30, 0x40, 0x82, 0x90, 0xC0
NONSENSE = "the broker speaks nonsense"
REFUSALS = (
    "accepted",
    "it speaks another version of MQTT",
    "it does not want this name",
    "it is not available",
    "user or password is wrong",
    "this user is not allowed",
)


def text(value: str) -> bytes:
    """A string as MQTT writes it: two bytes of length, then UTF-8."""
    data = value.encode()
    return bytes((len(data) >> 8, len(data) & 255)) + data


def packet(kind: int, body: bytes) -> bytes:
    """A whole packet: kind and flags, the length in sevens of bits, the body."""
    left = len(body)
    header = bytearray((kind,))
    while True:
        header.append((left & 127) | (128 if left > 127 else 0))
        left >>= 7
        if not left:
            return bytes(header) + body


class MqttLink:
    """See controller.py for what a link has. `ready` tells whether there is a network; `problem` why it is down."""

    remote = True  # who speaks over it is not at the table

    def __init__(self, broker, table, ready=None, secure=None, look_up=None):
        self._broker = broker
        self._topic = "naqala/" + table
        self._name = "naqala-" + table
        self._ready = ready
        self._secure = secure  # wraps a connected socket in TLS
        self._look_up = look_up  # is told before a name is looked up
        self._address = None
        self._socket = None
        self._state = DOWN
        self._wait = FIRST_WAIT_MS
        self._retry = 0
        self._heard = self._asked = 0
        self._unanswered = False
        self._out = b""
        self._in = bytearray()
        self._lines = b""
        self._number = 0
        self._open = 0  # publications not yet acknowledged
        self.problem = "not connected yet"

    # --- what the controller calls --------------------------------------------------------------------------

    def start(self) -> None:
        pass

    def stop(self) -> None:
        if self._state == UP:
            self._status("offline")
            self._out += b"\xe0\x00"  # a proper goodbye keeps the broker from saying the last will
            self._write()
        self._close("stopped", 0)

    def step(self, now: int) -> bool:
        """Move the connection on, without waiting. True at the moment it comes up."""
        before = self._state
        try:
            self._move(now)
        except OSError as error:
            self._close("connection lost (%s)" % error, now)
        except ValueError as error:
            self._close(str(error), now)
        return self._state == UP and before != UP

    def receive(self) -> bytes:
        data, self._lines = self._lines, b""
        return data

    def room(self) -> bool:
        return self._state == UP and self._open < WINDOW and len(self._out) < LONGEST_LINE

    def send(self, line: bytes) -> None:
        self._number = self._number % 65535 + 1
        number = bytes((self._number >> 8, self._number & 255))
        self._out += packet(PUBLISH | 2, text(self._topic + "/up") + number + line)
        self._open += 1
        try:
            self._write()
        except OSError:
            pass  # the next step meets the same error and closes

    # --- the connection, state by state ---------------------------------------------------------------------

    def _move(self, now: int) -> None:
        if self._state == DOWN:
            if now >= self._retry and (self._ready is None or self._ready()):
                self._reach(now)
            return
        if self._state == REACHING:
            if not self._reached():
                self._patience(now)
                return
            if self._secure:
                self._socket = self._secure(self._socket, self._broker["host"])
            self._out = self._greeting()
            self._state = GREETING
        self._write()
        self._read(now)
        self._patience(now)

    def _reach(self, now: int) -> None:
        self._heard = self._asked = now
        address = self._find(self._broker["host"], self._broker["port"])
        self._socket = socket.socket()
        self._socket.setblocking(False)
        self._state = REACHING
        try:
            self._socket.connect(address)
        except OSError as error:
            if error.errno not in (errno.EINPROGRESS, errno.EAGAIN):
                raise

    def _find(self, host: str, port: int):
        if self._look_up and not host.replace(".", "").isdigit():
            self._look_up()
        try:
            self._address = socket.getaddrinfo(host, port, 0, socket.SOCK_STREAM)[0][-1]
        except OSError:
            if self._address is None:
                raise ValueError("the name '%s' is not found" % host) from None
        return self._address

    def _reached(self) -> bool:
        poll = select.poll()
        poll.register(self._socket, select.POLLOUT)
        for found in poll.poll(0):
            if found[1] & (select.POLLERR | select.POLLHUP):
                raise ValueError("nobody listens at %s:%d" % (self._broker["host"], self._broker["port"]))
            return bool(found[1] & select.POLLOUT)
        return False

    def _greeting(self) -> bytes:
        user, password = self._broker.get("user", ""), self._broker.get("password", "")
        flags = 0x02 | 0x04 | 0x08 | 0x20  # clean session; a will, QoS 1, retained
        body = text(self._name) + text(self._topic + "/status") + text("offline")
        if user:
            flags |= 0x80 | 0x40
            body += text(user) + text(password)
        return packet(CONNECT, text("MQTT") + bytes((4, flags, 0, KEEP_ALIVE_S)) + body)

    def _patience(self, now: int) -> None:
        if self._state == UP and not self._unanswered and now - self._heard >= PING_MS:
            self._out += packet(PING, b"")
            self._asked = now
            self._unanswered = True
            self._write()
        waiting = self._unanswered or self._open or self._state != UP
        if waiting and now - self._heard > ANSWER_MS and now - self._asked > ANSWER_MS:
            raise ValueError("the broker does not answer")
        if not waiting:
            self._asked = now

    def _close(self, why: str, now: int) -> None:
        if self._socket:
            self._socket.close()
        self._socket = None
        self._state = DOWN
        self._out = b""
        self._in = bytearray()
        self._open = 0
        self._unanswered = False
        self._retry = now + self._wait
        self._wait = min(2 * self._wait, LAST_WAIT_MS)
        self.problem = why

    # --- bytes ----------------------------------------------------------------------------------------------

    def _write(self) -> None:
        while self._out:
            try:
                if hasattr(self._socket, "write"):
                    written = self._socket.write(self._out[:CHUNK])
                else:
                    written = self._socket.send(self._out[:CHUNK])
            except OSError as error:
                if error.errno == errno.EAGAIN:
                    return
                raise
            if not written:
                return
            self._out = self._out[written:]

    def _read(self, now: int) -> None:
        for _ in range(MOST_CHUNKS):
            if not self._read_chunk(now):
                return

    def _read_chunk(self, now: int) -> bool:
        """Take what came in; False when there is no more."""
        try:
            if hasattr(self._socket, "read"):
                data = self._socket.read(CHUNK)
            else:
                data = self._socket.recv(CHUNK)
        except OSError as error:
            if error.errno == errno.EAGAIN:
                return False
            raise
        if data is None:
            return False
        if not data:
            raise ValueError("the broker hung up")
        self._heard = now
        self._unanswered = False
        self._in.extend(data)
        while self._next():
            pass
        return True

    def _next(self) -> bool:
        """Take one whole packet off what came in; False when there is none."""
        length = shift = 0
        for at in range(1, 5):
            if at >= len(self._in):
                return False
            length |= (self._in[at] & 127) << shift
            shift += 7
            if not self._in[at] & 128:
                break
        else:
            raise ValueError(NONSENSE)
        if length > LONGEST_PACKET:
            raise ValueError("the broker sent a packet of %d bytes" % length)
        start = at + 1
        if len(self._in) < start + length:
            return False
        self._took(self._in[0], bytes(self._in[start : start + length]))
        self._in = self._in[start + length :]
        return True

    def _took(self, kind: int, body: bytes) -> None:
        if kind & 0xF0 == PUBLISH and self._state == UP:
            self._deliver(kind, body)
        elif kind == PUBACK and self._open:
            self._open -= 1
        elif kind == CONNACK and self._state == GREETING:
            if len(body) != 2 or body[1]:
                code = body[1] if len(body) == 2 and body[1] < len(REFUSALS) else 3
                raise ValueError("the broker refused: " + REFUSALS[code])
            self._out += packet(SUBSCRIBE, b"\x00\x01" + text(self._topic + "/down") + b"\x01")
            self._state = SUBSCRIBING
            self._write()
        elif kind == SUBACK and self._state == SUBSCRIBING:
            if len(body) != 3:
                raise ValueError(NONSENSE)
            if body[2] == 0x80:
                raise ValueError("the broker does not let us hear %s/down" % self._topic)
            self._state = UP
            self._wait = FIRST_WAIT_MS
            self.problem = ""
            self._status("online")

    def _deliver(self, kind: int, body: bytes) -> None:
        numbered = 2 if kind & 0x06 else 0
        if len(body) < 2 or len(body) < 2 + (body[0] << 8 | body[1]) + numbered:
            raise ValueError(NONSENSE)
        end = 2 + (body[0] << 8 | body[1])
        if numbered:
            self._out += packet(PUBACK, body[end : end + 2])
            end += numbered
        if kind & 0x01:
            return  # a retained order is an old one
        line = body[end:]
        if not line.endswith(b"\n"):
            line += b"\n"  # left out by hand (mosquitto_pub), it would spoil the next line too
        self._lines = (self._lines + line)[-4 * LONGEST_LINE :]

    def _status(self, word: str) -> None:
        self._out += packet(PUBLISH | 1, text(self._topic + "/status") + word.encode())
        self._write()
