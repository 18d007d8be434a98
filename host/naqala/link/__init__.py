"""Ways to a controller. `open` takes a link's text and gives a `Link`; its events go into one inbox.

    link = naqala.link.open("serial:name=oak")
    link.start(inbox.put)            # LinkUp, Arrived, LinkDown come from the link's own thread
    link.send(Light(((17, "open"),)))
    link.health().counters.gaps
    link.stop()

Lines arrive in the order of their numbers and once, whatever happened on the way: `follow` sees to it for all
links that carry bytes, and no link needs a button after a cable was pulled or a broker restarted. A link knows the wire
and no word of the game. `virtual` links are made in `naqala.virtual`.
"""

from __future__ import annotations

import importlib

from naqala.addresses import without_secrets
from naqala.link.inbox import (
    Arrived,
    Counters,
    Event,
    Health,
    Inbox,
    Link,
    LinkDown,
    LinkError,
    LinkUp,
    Mark,
    Message,
    Options,
)

__all__ = (
    "EXAMPLES",
    "Arrived",
    "Counters",
    "Event",
    "Health",
    "Inbox",
    "Link",
    "LinkDown",
    "LinkError",
    "LinkUp",
    "Mark",
    "Message",
    "Options",
    "open",
)

# The word before the first colon -> the module that makes such links with `make(text, options)`.
KINDS = {
    "serial": "naqala.link.serial_link",
    "mqtt": "naqala.link.mqtt_link",
    "mqtts": "naqala.link.mqtt_link",
    "replay": "naqala.link.replay",
    "phones": "naqala.link.phones",
    "virtual": "naqala.virtual.link",
}

EXAMPLES = (
    "serial",
    "serial:/dev/ttyACM0",
    "serial:name=oak",
    "mqtt://user@host:1883/oak",
    "mqtts://user@host:8883/oak?ca=ca.crt",
    "replay:evening.txt",
    "phones",
    "virtual",
    "virtual:oak?seed=7&pace=4",
)


def open(link: str, options: Options = Options()) -> Link:  # noqa: B008 (frozen)
    """The link that this text names, not yet started. LinkError when the text makes no sense."""
    kind = link.partition(":")[0]
    if kind not in KINDS:
        raise LinkError(f"unknown link '{without_secrets(link)}'; a link looks like {', '.join(EXAMPLES)}")
    made: Link = importlib.import_module(KINDS[kind]).make(link, options)
    return made
