"""The firmware on the real MicroPython image of an emulated RP2040: flashing, second flash, rollback, safe mode, a bad bus.

What runs here shares no code with the project's own simulation: another chip model (pn5180.mjs says where its rules come from),
another clock, the real `machine`, USB and flash. One board is flashed over its serial port; the others start from what is then on
its flash. Thirty readers with hands over them are in test_hands.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from naqala import flash
from naqala_protocol import Alive, Config, Fault, Hello, Log, Resync

from tests.emulated.board import ROOT, Board, Host
from tests.emulated.table import PICO_2_W, PICO_W, lying, put_on, seen, three_each

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("emulated")]

BENCH = ROOT / "hardware/configs/bench.json"
# A firmware that ends in an exception, and one that hangs until the watchdog bites.
BROKEN = "def run(root, folder, careful):\n    raise ValueError('no good')\n"
HANGING = "import machine\ndef run(root, folder, careful):\n    machine.WDT(timeout=300)\n    while True:\n        pass\n"


@pytest.fixture(scope="module")
def flashed(tools: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The flash of a bench kit after `naqala flash` onto an empty image; asserted on the way."""
    folder = tmp_path_factory.mktemp("bench")
    tags = three_each(2)
    with Board(folder, wiring="pins", tags=tags, speed=PICO_W) as board:
        said = put_on(board, "--config", str(BENCH))
        assert "'bench' says hello" in said and "2 readers wired" in said
        with Host(board) as host:
            host.say(Resync(None))
            board.wait(lambda: seen(host) == lying(tags), "right tag on every reader")
            host.wait(Alive, 3)
            assert host.of(Fault) == []
            frees = [line.free for line in host.of(Alive)]
        state = board.state()
        assert state["errors"] == [], state["errors"]
        assert state["spi"] == 4_000_000  # what the bus's own test found clean
        print(f"bench: {board.ms} ms emulated, {sum(state['frames'])} frames, {min(frees)} bytes free")
        return board.save(folder / "flash.bin")


def test_a_second_flash_sends_nothing_but_the_change(flashed: Path, tmp_path: Path) -> None:
    with Board(tmp_path, wiring="pins", tags=three_each(2), speed=PICO_2_W, flash=str(flashed)) as board:
        with Host(board) as host:
            host.wait(Hello)  # it runs
        said = put_on(board, "--name", "oak")
        assert "\n0 files" in said and "'oak' says hello" in said
        assert (
            board.resets[0] == "power" and "reset" in board.resets
        )  # it was stopped over the wire, and restarted


def test_a_firmware_that_fails_gives_way_to_the_last_good_one_and_then_to_safe_mode(
    flashed: Path, tmp_path: Path
) -> None:
    """Exceptions, then the watchdog, three times each; without anything before them, safe mode with the last words."""
    with Board(tmp_path, wiring="pins", tags=three_each(2), speed=PICO_2_W, flash=str(flashed)) as board:
        with flash.prompt_at(board.port) as prompt:
            good = prompt.read("/current").split()[0]
            for folder, source in (("naqala-broken", BROKEN), ("naqala-hanging", HANGING)):
                prompt.make_folder(f"/{folder}")
                prompt.make_folder(f"/{folder}/naqala_firmware")
                prompt.send(f"/{folder}/naqala_firmware/__init__.py", b"")
                prompt.send(f"/{folder}/naqala_firmware/start.py", source.encode())
            prompt.send("/current", f"naqala-broken\nnaqala-hanging\n{good}\n".encode())
            prompt.send("/boots", b"0\n")
            before = len(board.resets)
            prompt.restart()
        with Host(board) as host:
            hello = host.wait(Hello)
            assert hello.firmware == good
            assert board.resets[before:] == ["reset"] * 3 + ["watchdog"] * 3
            host.say(Hello(1, "host", 0, 0, 0, "test", ()))
            board.wait(
                lambda: any("3 starts of" in line.text for line in host.of(Log)), "word of the failure"
            )
            host.say(Config("stop", "repl"))
        with flash.prompt_at(board.port) as prompt:
            prompt.send("/current", b"naqala-broken\n")
            prompt.send("/boots", b"2\n")
            prompt.restart()
        with Host(board) as host:
            # Safe mode is in the firmware itself, so one that cannot even start leaves the prompt.
            board.wait(lambda: b"no good" in host.noise and host.noise.rstrip().endswith(b">>>"), "prompt")


def test_safe_mode_says_why(flashed: Path, tmp_path: Path) -> None:
    """Three starts of the only firmware failed: it runs without readers, over USB, with the last words of what failed."""
    with Board(tmp_path, wiring="pins", speed=PICO_2_W, flash=str(flashed)) as board:
        with flash.prompt_at(board.port) as prompt:
            prompt.send("/boots", b"3\n")
            prompt.send("/crash", b"ValueError: no good\n")
            prompt.restart()
        with Host(board) as host:
            host.wait(Hello)
            host.say(Hello(1, "host", 0, 0, 0, "test", ()))
            board.wait(
                lambda: any(line.abilities == ("safe",) for line in host.of(Hello)), "hello in safe mode"
            )
            log = host.wait(Log)
            assert "safe mode" in log.text and "no good" in log.text


def test_a_bus_that_is_not_clean_at_full_speed_is_slowed_down(flashed: Path, tmp_path: Path) -> None:
    tags = three_each(2)
    with (
        Board(
            tmp_path, wiring="pins", tags=tags, speed=PICO_2_W, flash=str(flashed), cleanUpTo=1_200_000
        ) as board,
        Host(board) as host,
    ):
        board.wait(lambda: seen(host) == lying(tags), "right tag on every reader")
        state = board.state()
        assert state["spi"] == 1_000_000
        assert any("bus: 1000 kHz" in line.text for line in host.of(Log))
