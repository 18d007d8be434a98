"""The firmware on the real MicroPython image of an emulated RP2040, with PN5180 chips written from the data sheet alone.

What runs here shares nothing with the project's own simulation: another chip model, another clock, the real `machine`, USB and
flash. One board is flashed over its serial port; the others start from what is then on its flash. Two speeds of the processor:
the emulator counts the cycles of a slow board, so 2 stands for a Pico W and 4 for a Pico 2 W.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner
from mpremote.transport_serial import SerialTransport
from naqala import flash
from naqala.cli.flash import command as flash_command
from naqala_protocol import Alive, Config, Fault, Focus, Hello, Log, Looked, Resync, Seen

from tests.emulated.board import PATIENCE_S, ROOT, TOOLS, Board, Host

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("emulated")]

BENCH = ROOT / "hardware/configs/bench.json"
PICO_W, PICO_2_W = 2, 4
# A firmware that ends in an exception, and one that hangs until the watchdog bites.
BROKEN = "def run(root, folder, careful):\n    raise ValueError('no good')\n"
HANGING = "import machine\ndef run(root, folder, careful):\n    machine.WDT(timeout=300)\n    while True:\n        pass\n"


def tag(number: int) -> str:
    return f"e0040150{number * 2654435761 % 2**32:08x}"


def three_each(readers: int) -> list[tuple[str, int]]:
    return [(tag(number), number % readers) for number in range(3 * readers)]


def lying(tags: list[tuple[str, int]]) -> dict[int, tuple[str, ...]]:
    readers = {reader for _, reader in tags}
    return {reader: tuple(sorted(t for t, where in tags if where == reader)) for reader in readers}


def seen(host: Host) -> dict[int, tuple[str, ...]]:
    return {line.reader: line.tags for line in host.of(Seen)}


def put_on(board: Board, *options: str) -> str:
    """`naqala flash` as a user calls it."""
    done = CliRunner().invoke(flash_command, ["--port", board.port, *options])
    assert done.exit_code == 0, done.output
    return done.output


def patient_transport(device: str, baud: int, timeout: float) -> SerialTransport:
    """Not too patient: a controller that just restarts says nothing, and is asked again after this time."""
    return SerialTransport(device, baud, timeout=10 * timeout)


@pytest.fixture(autouse=True, scope="module")
def no_hurry() -> Iterator[None]:
    """How long `naqala flash` waits is meant for a controller in real time; an emulated one on a busy machine takes longer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flash, "wait_for_hello", partial(flash.wait_for_hello, seconds=PATIENCE_S))
        patch.setattr(flash.prompt, "PROMPT_S", PATIENCE_S)
        patch.setattr(flash.prompt, "SerialTransport", patient_transport)
        yield


@pytest.fixture(scope="module")
def tools() -> Path:
    if not (TOOLS / "micropython.bin").exists():
        pytest.skip(f"no image for the emulated controller in {TOOLS}: run `make needs`")
    return TOOLS


@pytest.fixture(scope="module")
def flashed(tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
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


def hands(
    seconds: int, tags: list[tuple[str, int]], chance: random.Random
) -> list[tuple[int, str, int | None]]:
    """Pieces lifted and put down on a neighbour, one after the other: (milliseconds, tag, where)."""
    where = dict(tags)
    moves: list[tuple[int, str, int | None]] = []
    for at in range(500, 1000 * seconds - 4000, 1500):
        piece = chance.choice(sorted(where))
        there = where[piece]
        steps = [there + step for step in (-6, 6) if 0 <= there + step < 30]
        steps += [there + step for step in (-1, 1) if (there + step) // 6 == there // 6 and there + step >= 0]
        where[piece] = chance.choice(steps)
        moves += [(at, piece, None), (at + 400, piece, where[piece])]
    tags[:] = sorted(where.items())
    return moves


@pytest.mark.parametrize(
    ("speed", "seconds", "more"),
    [(PICO_W, 30, {}), (PICO_2_W, 8, {"lanes": 5})],
    ids=["pico-w-one-lane", "pico-2-w-five-lanes"],
)
def test_hands_over_thirty_readers(
    flashed: Path, tmp_path: Path, speed: int, seconds: int, more: dict[str, int]
) -> None:
    """Ninety tags, and hands that carry them about: no fault, nothing a data sheet forbids, memory flat, every piece seen in
    its last place. A second of it costs two and a half of a processor, which is why it is not a whole minute."""
    tags = three_each(30)
    config = tmp_path / "table.json"
    config.write_text(json.dumps({"name": "table", "wiring": "table", "lamps": {"count": 30}, **more}))
    # Chips as they come: each with its own times, within the data sheet's limits or our guess of them.
    times = {"field": [20, 400], "send": [20, 120], "sof": [5, 120], "busy": [10, 80], "boot": [2300, 2500]}
    with Board(
        tmp_path, wiring="table", tags=tags, speed=speed, flash=str(flashed), times=times, seed=speed
    ) as board:
        put_on(board, "--config", str(config))
        with Host(board) as host:
            host.say(Resync(None))
            board.wait(lambda: seen(host) == lying(tags), "right tag on every reader")
            start = board.ms
            moves = hands(seconds, tags, random.Random(speed))
            board.order(moves=moves)
            host.say(Focus(tuple(sorted({where for _, _, where in moves[:8] if where is not None}))))
            board.wait(lambda: board.ms >= start + 1000 * seconds, f"{seconds} s of hands", 4 * PATIENCE_S)
            now_on = dict.fromkeys(range(30), ()) | lying(tags)
            board.wait(lambda: seen(host) == now_on, "every piece in its last place")
            assert host.of(Fault) == []
            assert len(host.of(Looked)) > seconds  # while a focus is set
            alive = host.of(Alive)
            frees = [line.free for line in alive]
            third = len(frees) // 3
            assert min(frees[-third:]) > min(frees[:third]) - 2048, frees
        state = board.state()
        assert state["errors"] == [], state["errors"][:5]
        assert board.resets.count("watchdog") == 0
        sweeps = sorted(line.sweep for line in alive if line.sweep)
        print(
            f"speed {speed}, {more or 'one lane'}: sweep {sweeps[len(sweeps) // 2]} ms, {min(frees)} bytes free, "
            f"{sum(state['fieldOns'])} visits, {state['turns']} turns of the decoders in {board.ms} ms"
        )
