"""The serial link over real pseudo-terminals: found by handshake, pulled and plugged in again, noisy, in use."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from random import Random

import pytest
from naqala import link as links
from naqala.link import Arrived, LinkDown, LinkError, LinkUp, ports
from naqala_protocol import Focus, Hello, Seen, encode

from tests.link.conftest import seen


def test_a_controller_is_found_by_its_hello(plug, open_link) -> None:
    plug("oak").put(2, "04a1b2c3")
    link, inbox = open_link()
    assert inbox.until(inbox.of(LinkUp)).hello.name == "oak"
    inbox.until(seen(2, "04a1b2c3"))
    health = link.health()
    assert health.up and health.where.endswith("tty-oak") and health.hello.firmware == "0.9.1"
    assert health.counters.round_trip_ms is not None


def test_the_controller_may_come_last(plug, open_link) -> None:
    _, inbox = open_link()
    why = inbox.until(inbox.of(LinkDown)).why
    # Another test may be asking the machine's own port at this very moment: then that is what is told first.
    assert "a controller" in why or "is in use by" in why
    plug("oak")
    inbox.until(inbox.of(LinkUp))


def test_several_controllers_are_told_apart_by_name(plug, open_link) -> None:
    for name in ("ash", "elm", "oak"):
        plug(name).put(0, f"04{name.encode().hex()}")
    for name in ("oak", "ash", "elm"):
        link, inbox = open_link(f"serial:name={name}")
        assert inbox.until(inbox.of(LinkUp)).hello.name == name
        inbox.until(seen(0, f"04{name.encode().hex()}"))
        assert link.health().where.endswith(f"tty-{name}")


def test_three_links_at_once_each_find_their_own(plug, open_link) -> None:
    """They ask the same ports at the same moment and must let go of what is another's."""
    for name in ("ash", "elm", "oak"):
        plug(name)
    opened = {name: open_link(f"serial:name={name}") for name in ("oak", "elm", "ash")}
    for name, (link, inbox) in opened.items():
        assert inbox.until(inbox.of(LinkUp)).hello.name == name
        assert link.health().where.endswith(f"tty-{name}")


def test_another_version_of_the_protocol_is_told_and_not_guessed_at(plug, open_link, tmp_path: Path) -> None:
    cable = plug("oak")
    same, cable.controller.hello = (
        cable.controller.hello,
        lambda: encode(Hello(9, "oak", 4, 0, 100, "7.0", ())),
    )
    link, inbox = open_link(f"serial:{tmp_path / 'tty-oak'}")
    assert "speaks version 9 of the protocol, this program version 1" in inbox.until(inbox.of(LinkDown)).why
    assert not link.health().up and link.health().hello.version == 9
    cable.put(0, "04a1b2c3")
    while link.health().counters.lines < 2:
        time.sleep(0.01)
    cable.pull()
    cable.controller.hello = same
    cable.plug()
    inbox.until(inbox.of(LinkUp))
    assert {type(event) for event in inbox.events[:-1]} == {LinkDown}
    inbox.until(seen(0, "04a1b2c3"))


def test_a_port_may_be_named(plug, open_link, tmp_path: Path) -> None:
    plug("ash")
    plug("oak")
    _, inbox = open_link(f"serial:{tmp_path / 'tty-oak'}")
    assert inbox.until(inbox.of(LinkUp)).hello.name == "oak"


@pytest.mark.parametrize("reboot", [False, True])
def test_pulled_and_plugged_in_again_within_two_seconds(plug, open_link, reboot: bool) -> None:
    cable = plug("oak")
    plug("ash")
    link, inbox = open_link("serial:name=oak")
    inbox.until(inbox.of(LinkUp))
    cable.put(1, "04000001")
    inbox.until(seen(1, "04000001"))
    took = []
    for turn in range(3):
        cable.pull()
        inbox.until(inbox.of(LinkDown))
        cable.put(3, f"0400000{turn}")  # while nobody listens
        cable.plug(reboot=reboot)
        plugged = time.monotonic()
        assert inbox.until(inbox.of(LinkUp)).hello.name == "oak"
        inbox.until(seen(3, f"0400000{turn}"))
        took.append(time.monotonic() - plugged)
    assert min(took) < 2  # the others, too, but for a machine that has other things to do
    assert link.health().counters.drops >= 3


def test_lines_while_unplugged_come_in_order(plug, open_link) -> None:
    cable = plug("oak")
    _, inbox = open_link("serial:name=oak")
    inbox.until(inbox.of(LinkUp))
    cable.put(1, "04000001")
    inbox.until(seen(1, "04000001"))  # what the greeting brought is over
    inbox.events.clear()
    cable.pull()
    for number in range(20):
        cable.put(number % 4, f"0400{number:04d}")
    inbox.until(inbox.of(LinkDown))
    cable.plug()
    inbox.until(seen(3, "04000019"))
    numbers = [e.message.seq for e in inbox.events if isinstance(e, Arrived) and isinstance(e.message, Seen)]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_a_noisy_cable_gives_the_same_lines(plug, open_link) -> None:
    """One bit in a thousand wrong, both a banner and half lines now and then."""
    chance = Random(3)

    def spoil(line: bytes) -> bytes:
        spoilt = bytearray(line)
        for bit in range(8 * len(line)):
            if chance.random() < 0.001:
                spoilt[bit // 8] ^= 1 << bit % 8
        return (b"MPY: soft reboot\r\n" if chance.random() < 0.05 else b"") + bytes(spoilt)

    cable = plug("oak", spoil)
    link, inbox = open_link("serial:name=oak")
    inbox.until(inbox.of(LinkUp))
    for number in range(300):
        cable.put(number % 4, f"0400{number:04d}")
    inbox.until(seen(3, "04000299"))
    lines = [e.message for e in inbox.events if isinstance(e, Arrived) and isinstance(e.message, Seen)]
    assert lines == [line for _, line in cable.controller.said if line.seq >= lines[0].seq][: len(lines)]
    counters = link.health().counters
    assert counters.bad > 10 and counters.resyncs > 3 and counters.lost == 0


def test_what_the_host_says_arrives(plug, open_link) -> None:
    cable = plug("oak")
    link, inbox = open_link()
    assert link.send(Focus((1, 2))) is False  # not up yet: the caller says it after LinkUp
    inbox.until(inbox.of(LinkUp))
    assert link.send(Focus((1, 2))) is True
    end = time.monotonic() + 60
    while Focus((1, 2)) not in cable.controller.heard:
        assert time.monotonic() < end
        threading.Event().wait(0.01)


def test_a_hanging_controller_is_noticed(plug, open_link) -> None:
    cable = plug("oak")
    _, inbox = open_link()
    inbox.until(inbox.of(LinkUp))
    cable.deaf = True
    assert "nothing heard from 'oak'" in inbox.until(inbox.of(LinkDown)).why
    cable.deaf = False
    inbox.until(inbox.of(LinkUp))


def test_a_port_in_use_is_left_alone_and_its_holder_named(plug, open_link, tmp_path: Path) -> None:
    plug("oak")
    _, first = open_link()
    first.until(first.of(LinkUp))
    _, second = open_link(f"serial:{tmp_path / 'tty-oak'}")
    why = second.until(second.of(LinkDown)).why
    assert (
        f"tty-oak is in use by '{Path('/proc/self/comm').read_text().strip()}' (process {os.getpid()})" in why
    )


def test_a_prompt_without_firmware_is_told(plug, open_link) -> None:
    cable = plug("oak")
    cable.controller.receive = lambda data: [data + b"Traceback\r\nSyntaxError: invalid syntax\r\n>>> "]
    cable.controller.alive = lambda: b""
    _, inbox = open_link(f"serial:{cable.path}")
    assert "naqala flash" in inbox.until(inbox.of(LinkDown)).why


def test_nothing_is_awake_when_nothing_happens(plug, open_link) -> None:
    plug("oak")
    _, inbox = open_link()
    inbox.until(inbox.of(LinkUp))
    before = time.process_time()
    inbox.until(lambda event: isinstance(event, Arrived) and event.message.__class__.__name__ == "Alive")
    inbox.until(lambda event: isinstance(event, Arrived) and event.message.__class__.__name__ == "Alive")
    assert time.process_time() - before < 0.1  # of at least one second: both ends of the cable together


def test_a_link_that_names_nobody_is_refused() -> None:
    with pytest.raises(LinkError, match="`naqala ports`"):
        links.open("serial:name=")
    with pytest.raises(LinkError, match="unknown link 'bluetooth:x'; a link looks like serial"):
        links.open("bluetooth:x")


def test_permission_names_the_group_and_the_command(open_folder: Path) -> None:
    """In a process without root's powers: the port belongs to a group the user is not in."""
    device = open_folder / "tty-oak"
    device.touch()
    code = (
        "import os, sys, grp\n"
        "from naqala.link import ports\n"
        "import getpass\n"
        "getpass.getuser = lambda: 'ann'\n"
        f"os.chown({str(device)!r}, 0, grp.getgrnam('dialout').gr_gid) if os.getuid() == 0 else None\n"
        f"os.chmod({str(device)!r}, 0o660)\n"
        "if os.getuid() == 0: os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        f"found = ports.ask({str(device)!r}, 'host')\n"
        "print(found.state, '|', found.text)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == (
        f"needs permission | {device} needs group 'dialout'; "
        "run: sudo usermod -aG dialout ann   then log out and in again"
    )


def test_a_port_that_is_not_there_is_told() -> None:
    assert (
        ports.ask("/dev/ttyACM99", "host").text == "/dev/ttyACM99 is not there; is the controller plugged in?"
    )
