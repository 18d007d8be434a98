"""The replay link: a transcript played through as if a controller said it.

`replay:FILE` plays at the pace of the recording, `replay:FILE?pace=fast` without waiting, `?pace=4` four times as
fast. `at_ms` is the transcript's own time. Wire lines go into the inbox as they stand, without the follower: what was
recorded had been followed already, and a shortened bug report has gaps on purpose. Taps are not a link's affair.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from naqala_protocol import FROM_CONTROLLER, MESSAGES, VERSION, Hello

from naqala import transcript
from naqala.link.inbox import (
    Arrived,
    Counters,
    Event,
    Health,
    Inbox,
    LinkDown,
    LinkError,
    LinkUp,
    Message,
    Options,
)

SLOWEST = 0.001
LONGEST_WAIT_S = 3_600.0  # at a time: a recording's gap may be longer than a thread can wait
UPWARD = tuple(message.type for message in MESSAGES if message.sender == FROM_CONTROLLER)


def make(text: str, options: Options) -> ReplayLink:
    """The link for `replay:FILE` or `replay:FILE?pace=...`. LinkError when the file cannot be played."""
    name, _, query = text.partition(":")[2].partition("?pace=")
    try:
        played = transcript.read(Path(name).expanduser().read_text())
        pace = {"": 1.0, "fast": None}[query] if query in ("", "fast") else float(query)
    except OSError as error:
        raise LinkError(f"cannot read '{name}': {error.strerror}") from None
    except UnicodeDecodeError:
        raise LinkError(f"'{name}' is no transcript: it is not text") from None
    except transcript.TranscriptError as error:
        raise LinkError(f"'{name}', {error}") from None
    except ValueError:
        raise LinkError(f"a pace is 'fast' or a number such as 2, not '{query}'") from None
    if pace is not None and not SLOWEST <= pace < float("inf"):
        raise LinkError(f"a pace is 'fast' or a number from {SLOWEST:g} on, not '{query}'")
    return ReplayLink(text, name, played, pace)


class ReplayLink:
    """See the module; the methods are those of `naqala.link.Link`."""

    def __init__(self, text: str, name: str, played: transcript.Transcript, pace: float | None) -> None:
        self._text, self._name, self._played, self._pace = text, name, played, pace
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"naqala-{text}", daemon=True)
        self._inbox: Inbox | None = None
        self._hello: Message = None
        self._alive: Message = None
        self._lines = 0
        self._up = False

    def start(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self._thread.start()

    def send(self, message: Message) -> bool:
        return self._up  # a recording does not listen

    def publish(self, snapshot: Mapping[str, Any]) -> None:
        """Nobody listens to a recording's host."""

    def stop(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        self._inbox = None

    def health(self) -> Health:
        problem = "" if self._up or self._hello is None else f"'{self._name}' has ended"
        counters = Counters(lines=self._lines)
        return Health(self._text, self._up, self._name, problem, self._hello, self._alive, counters)

    def _run(self) -> None:
        at = 0
        for moment in self._played.moments:
            if self._pace is not None and self._stopped_within((moment.at_ms - at) / 1000 / self._pace):
                break
            if self._stop.is_set():
                break
            at = moment.at_ms
            self._play(moment.what, at)
        if not self._stop.is_set():
            if not self._up:
                self._greet(None, at)
            self._up = False
            self._deliver(LinkDown(f"'{self._name}' has ended", at, for_good=True))

    def _stopped_within(self, seconds: float) -> bool:
        while seconds > 0 and not self._stop.wait(min(seconds, LONGEST_WAIT_S)):
            seconds -= LONGEST_WAIT_S
        return self._stop.is_set()

    def _play(self, what: Message, at: int) -> None:
        if isinstance(what, Hello):
            self._greet(what, at)
        elif isinstance(what, UPWARD):
            if not self._up:
                self._greet(None, at)
            self._deliver(Arrived(what, at))
            self._lines += 1

    def _greet(self, hello: Message, at: int) -> None:
        """A shortened recording has no hello: it gets one."""
        self._hello = hello or Hello(VERSION, "replay", len(self._played.readers), 0, 0, "replay", ())
        self._up = True
        self._deliver(LinkUp(self._hello, at))

    def _deliver(self, event: Event) -> None:
        if self._inbox is not None:
            self._inbox(event)
