"""Which names a request may use for this machine: a page on the internet could let its own name point here (DNS rebinding) and
act in a player's browser, so a name from elsewhere gets nothing.
"""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

# A name or an address, and a port; the longest name has 253 letters.
A_HOST = re.compile(r"([A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:\d{1,5})?")
# What routers and systems append to names of machines in their own network; nobody can buy a name below these.
LOCAL_ENDINGS = (".local", ".lan", ".home", ".home.arpa", ".internal", ".localdomain", ".fritz.box")


def known_host(host: str, allowed: frozenset[str] = frozenset()) -> bool:
    """An address, this machine, a name of the local network, or one that the owner set; and no name that a host cannot have."""
    if not A_HOST.fullmatch(host):
        return False
    try:
        name = (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return False
    try:
        ipaddress.ip_address(name)
    except ValueError:
        local = name == "localhost" or "." not in name or name.endswith(LOCAL_ENDINGS)
        return bool(name) and (local or name in allowed)
    return True
