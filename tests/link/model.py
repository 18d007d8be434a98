"""A controller as the protocol describes it, small and by itself: what the link tests talk to.

It shares no code with the firmware; `tests/virtual` joins the links to the real one. Lines in, lines out; the
caller carries them.
"""

from __future__ import annotations

from naqala_protocol import FROM_HOST, VERSION, Alive, Decoder, Hello, Resync, Seen, encode


class ModelController:
    """Readers with tags, a ring of the last lines, a boot number."""

    def __init__(self, name: str = "oak", readers: int = 4, ring: int = 400) -> None:
        self.name = name
        self.state: dict[int, tuple[str, ...]] = dict.fromkeys(range(readers), ())
        self.ring_size = ring
        self.boot = 100
        self.heard: list[object] = []  # what the host said
        self.said: list[tuple[int, object]] = []  # (boot, line), every numbered line ever said, in order
        self._fresh()

    def _fresh(self) -> None:
        self.seq = 0
        self.uptime = 0
        self.ring: list[Seen] = []
        self._decoder = Decoder(FROM_HOST)

    def start(self) -> list[bytes]:
        """What it says when power comes: who it is, and what lies where."""
        return [self.hello(), *self.sweep()]

    def reboot(self) -> list[bytes]:
        self.boot += 1
        self._fresh()
        return self.start()

    def hello(self) -> bytes:
        return encode(
            Hello(VERSION, self.name, len(self.state), self.seq, self.boot, "0.9.1", ("sweep", "focus"))
        )

    def sweep(self) -> list[bytes]:
        return [self._number(reader) for reader in self.state]

    def put(self, reader: int, *tags: str) -> bytes:
        self.state[reader] = tags
        return self._number(reader)

    def _number(self, reader: int) -> bytes:
        self.seq += 1
        line = Seen(self.seq, reader, self.state[reader])
        self.ring = [*self.ring, line][-self.ring_size :]
        self.said.append((self.boot, line))
        return encode(line)

    def alive(self) -> bytes:
        self.uptime += 1000
        return encode(Alive(self.seq, self.uptime, 90, 100000, (("errors", 0),)))

    def receive(self, data: bytes) -> list[bytes]:
        """Answers to what the host said."""
        answers: list[bytes] = []
        for message in self._decoder.feed(data):
            self.heard.append(message)
            if isinstance(message, Hello):
                answers.append(self.hello())
            elif isinstance(message, Resync):
                answers += self._again(message.since)
        return answers

    def _again(self, since: int | None) -> list[bytes]:
        if since is None:
            return self.sweep()
        if since > self.seq:
            return []
        if not self.ring or self.ring[0].seq > since:
            return [self.hello(), *self.sweep()]
        return [encode(line) for line in self.ring if line.seq >= since]
