"""`naqala.local`: this machine's name in its network by mDNS, so that nobody has to type an address.

Another companion in the same network may have the name already: then this one is called `naqala-2.local`, and so on.
"""

from __future__ import annotations

import ipaddress
import logging
import socket
import threading
from collections.abc import Callable, Sequence

from zeroconf import Error as ZeroconfError
from zeroconf import IPVersion, NonUniqueNameException, ServiceInfo, Zeroconf

NAME = "naqala"
KIND = "_http._tcp.local."
MOST_NAMES = 9
ANSWERS_S = 6.0  # how long a start or an end may wait for the network

log = logging.getLogger(__name__)


class Called:
    """Announces the name until it is closed. `name` is empty when the network lets nobody announce anything."""

    def __init__(self, addresses: Sequence[str], port: int, interfaces: Sequence[str] | None = None) -> None:
        self.name = ""
        self._announcer: Zeroconf | None = None
        # In a thread of its own: where one has an event loop already, zeroconf would use that and not come to an end.
        _apart(lambda: self._begin(list(addresses), port, interfaces))

    def _begin(self, addresses: list[str], port: int, interfaces: Sequence[str] | None) -> None:
        packed = [socket.inet_aton(one) for one in addresses if ipaddress.ip_address(one).version == 4]
        try:
            self._announcer = Zeroconf(interfaces=list(interfaces or addresses), ip_version=IPVersion.V4Only)
            for number in range(1, MOST_NAMES + 1):
                name = NAME if number == 1 else f"{NAME}-{number}"
                try:
                    self._announce(name, packed, port)
                except NonUniqueNameException:
                    continue
                self.name = f"{name}.local"
                return
        except (OSError, ZeroconfError) as error:
            log.debug("no name in this network: %s", error)
        self._end()

    def _announce(self, name: str, packed: list[bytes], port: int) -> None:
        info = ServiceInfo(
            KIND,
            f"{name}.{KIND}",
            port=port,
            addresses=packed,
            server=f"{name}.local.",
            properties={"path": "/"},
        )
        assert self._announcer is not None
        self._announcer.register_service(info, cooperating_responders=False)

    def close(self) -> None:
        """Say goodbye."""
        _apart(self._end)

    def _end(self) -> None:
        if self._announcer is not None:
            self._announcer.close()
            self._announcer = None


def _apart(work: Callable[[], None]) -> None:
    thread = threading.Thread(target=work, name="naqala-mdns", daemon=True)
    thread.start()
    thread.join(ANSWERS_S)


def own_address() -> str:
    """This machine's address on its network, found without sending anything."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address reserved for documents: nothing is sent to it
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"
