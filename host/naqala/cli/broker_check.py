"""A check of `naqala doctor`: does the broker let anybody publish the lines of a controller?"""

from __future__ import annotations

from collections.abc import Iterator

from naqala.link import LinkError
from naqala.link.mqtt_link import read_broker
from naqala.link.strangers import ADVICE, lets_strangers_publish
from naqala.settings import Settings


def check(settings: Settings) -> Iterator[tuple[str, str]]:
    """For each table at a broker what was found, and what to do about it (empty: it is well)."""
    for name, text in settings.tables.items():
        if not text.startswith("mqtt"):
            continue
        try:
            broker = read_broker(text, settings.link_options())
        except LinkError:
            continue  # the check of the tables says so
        found = lets_strangers_publish(broker)
        if found is None:
            yield f"table '{name}': the broker {broker} could not be asked who may publish", ""
        elif found:
            yield f"table '{name}': anybody may publish its moves at the broker {broker}", ADVICE
        else:
            yield f"table '{name}': only users with a password publish at the broker {broker}", ""
