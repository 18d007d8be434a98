"""Addresses of brokers and journals as messages show them: without their secrets."""

from __future__ import annotations

import re

# From the user's name to the last @: a password may hold any sign, also one that makes the address unreadable.
_PASSWORD = re.compile(r"(://[^:@/?]*):.*@", re.DOTALL)
_IN_THE_QUERY = re.compile(r"([?&][^=&]*pass[^=&]*=)[^&]*", re.IGNORECASE)


def without_secrets(address: str) -> str:
    """The address without a password, wherever it stands."""
    return _IN_THE_QUERY.sub(r"\1...", _PASSWORD.sub(r"\1@", address))
