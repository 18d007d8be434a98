"""A reader on pins of its own: NSS, BUSY and RESET. Pins in, the port a driver asks for out: select, release, busy, reset."""


class PlainPort:
    """Each pin has value(), as machine.Pin does."""

    def __init__(self, nss, busy, reset) -> None:
        self._nss = nss.value
        self._reset = reset.value
        self.busy = busy.value

    def select(self) -> None:
        self._nss(0)

    def release(self) -> None:
        self._nss(1)

    def reset(self, level: int) -> None:
        self._reset(level)
