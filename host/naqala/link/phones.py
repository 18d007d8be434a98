"""The link of a table without readers: nothing arrives, nothing is sent. People tell what happens on their phones.

naqala play --table board=phones
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from naqala.link.inbox import Health, Inbox, LinkError, Message, Options

KIND = "phones"


def make(text: str, options: Options) -> PhonesLink:
    """The link for `phones`. LinkError when something follows the word."""
    if text != KIND:
        raise LinkError(f"a table without readers is just 'phones', not '{text}'")
    return PhonesLink()


class PhonesLink:
    """See the module; the methods are those of `naqala.link.Link`."""

    def start(self, inbox: Inbox) -> None:
        """Nobody will speak."""

    def send(self, message: Message) -> bool:
        return False

    def publish(self, snapshot: Mapping[str, Any]) -> None:
        """No other program listens."""

    def stop(self) -> None:
        """There is nothing to end."""

    def health(self) -> Health:
        return Health(KIND, True)
