"""`naqala flash` against the real MicroPython behind a pseudo-terminal, with mpremote; cut off wherever it may be."""

from __future__ import annotations

import json
import os
import pty
import shutil
import signal
import subprocess
import time
import tty
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import serial
from click.testing import CliRunner
from mpremote.transport import TransportError
from naqala import flash
from naqala.cli.flash import command

ROOT = Path(__file__).parents[2]
LAUNCHER = (
    (ROOT / "firmware/naqala_firmware/main.py")
    .read_text()
    .replace("PAUSE_MS = 500", "PAUSE_MS = 20")
    .encode()
)
# A firmware that only says hello, and again whenever it hears anything, until it is asked for the prompt.
TINY = """
import sys
from naqala_firmware.life import boot_number
from naqala_firmware.serial_link import SerialLink
from naqala_protocol import Hello, encode
# {version}
def run(root, folder, careful):
    link = SerialLink()
    hello = encode(Hello(1, "tiny", 0, 0, boot_number(), folder, ("safe",) if careful else ()))
    link.send(hello)
    heard = b""
    while b"stop" not in heard:
        data = link.receive()
        if data:
            heard = (heard + data)[-200:]
            link.send(hello)
        link.step(0)
"""
BAD_PINS = """
    def __init__(self, *arguments, **settings):
        raise ValueError("bad SCK pin")

    def unused(self, *arguments"""
BROKEN = "raise ValueError('{version} is broken')\n"


class Controller:
    """A process on a pseudo-terminal with a folder as its flash; `power_off` may come at any moment."""

    def __init__(self, micropython: Path, folder: Path) -> None:
        self.folder = folder
        self.micropython = micropython
        self.process: subprocess.Popen[bytes] | None = None
        folder.mkdir(exist_ok=True)
        shutil.copy(ROOT / "tests/flash/root/machine.py", folder)

    def power_on(self) -> str:
        master, slave = pty.openpty()
        tty.setraw(slave)
        words = [str(self.micropython), "-X", "heapsize=400k", str(ROOT / "tests/flash/prompt_main.py")]
        self.process = subprocess.Popen([*words, str(self.folder)], stdin=master, stdout=master)
        self.ends = (master, slave)
        return os.ttyname(slave)

    def power_off(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None
            for end in self.ends:
                os.close(end)


@pytest.fixture
def controller(micropython: Path, tmp_path: Path) -> Iterator[Controller]:
    found = Controller(micropython, tmp_path / "flash")
    yield found
    found.power_off()


def tiny(version: str, start: str = TINY) -> flash.Build:
    """A small firmware that differs from another one in one file."""
    sources = {"naqala_firmware/start.py": start.format(version=version).encode()}
    for name in ("naqala_firmware/__init__", "naqala_firmware/life", "naqala_firmware/serial_link"):
        sources[f"{name}.py"] = (ROOT / f"firmware/{name}.py").read_bytes()
    for name in ("naqala_protocol/__init__", "naqala_protocol/wire"):
        sources[f"{name}.py"] = (ROOT / f"protocol/{name}.py").read_bytes()
    return flash.Build(
        f"naqala-{version}", tuple(flash.File(*item) for item in sorted(sources.items())), LAUNCHER
    )


def put(
    device: str,
    firmware: flash.Build,
    wrap: Callable[[flash.Prompt], Any] = lambda prompt: prompt,
    config: str = "{}",
) -> flash.Plan:
    with flash.prompt_at(device) as prompt:
        there = prompt.listing()
        current = prompt.read("/current") if "/current" in there else ""
        config_there = prompt.read("/naqala.json") if "/naqala.json" in there else ""
        plan = flash.make_plan(firmware, there, current, config, config_there)
        flash.carry_out(plan, wrap(prompt))
        prompt.restart()
    return plan


class CutAfter:
    """A prompt whose cable is pulled after so many exchanges."""

    def __init__(self, prompt: flash.Prompt, exchanges: int) -> None:
        self._prompt = prompt
        transport: Any = prompt._transport
        whole = transport.exec
        self.left = exchanges

        def exec_or_cut(*arguments: Any, **settings: Any) -> Any:
            self.left -= 1
            if self.left < 0:
                raise TransportError("pulled")
            return whole(*arguments, **settings)

        transport.exec = exec_or_cut

    def __getattr__(self, name: str) -> Any:
        return getattr(self._prompt, name)


def test_the_real_firmware_end_to_end(controller: Controller, tmp_path: Path) -> None:
    device = controller.power_on()
    config = tmp_path / "config.json"
    config.write_text('{"lamps": {"count": 0}}')
    first = CliRunner().invoke(command, ["--port", device, "--name", "attic", "--config", str(config)])
    assert first.exit_code == 0, first.output
    folder = flash.build().folder
    assert f"'attic' says hello with {folder}, 30 readers wired" in first.output
    files = {path.name for path in (controller.folder / folder / "naqala_firmware").iterdir()}
    assert "controller.mpy" in files
    assert not files & {"simulated", "main.mpy", "simulated.mpy"}
    again = CliRunner().invoke(command, ["--port", device])  # the firmware runs: it is asked for the prompt
    assert again.exit_code == 0, again.output
    assert "0 files" in again.output
    assert "'attic'" in again.output
    dry = CliRunner().invoke(command, ["--port", device, "--name", "cellar", "--dry-run"])
    assert dry.exit_code == 0, dry.output
    assert "write naqala.json" in dry.output and "send" not in dry.output
    assert "attic" in (controller.folder / "naqala.json").read_text()


def test_a_controller_in_trouble_says_so(controller: Controller) -> None:
    device = controller.power_on()
    assert CliRunner().invoke(command, ["--port", device]).exit_code == 0
    folder = flash.build().folder
    controller.power_off()
    (controller.folder / "boots").write_text("3\n")  # three starts that failed, and none before it
    (controller.folder / "crash").write_text("ValueError: the last words\n")
    with pytest.raises(
        flash.FlashError, match=r"without its readers: safe mode: .* ValueError: the last words"
    ):
        flash.wait_for_hello(controller.power_on(), folder)
    controller.power_off()
    assert (controller.folder / "boots").read_text() == "0 running\n"  # the next power-up tries again
    (controller.folder / "naqala.json").write_text('{"link": "smoke"}')
    device = controller.power_on()
    for _ in range(2):  # whoever asks hears it
        with pytest.raises(flash.FlashError, match="without its readers: link: one of usb, mqtt is needed"):
            flash.wait_for_hello(device, folder)
    mended = CliRunner().invoke(command, ["--port", device, "--link", "usb"])
    assert mended.exit_code == 0, mended.output
    assert "30 readers wired" in mended.output


def test_a_flash_whose_firmware_does_not_start_fails(controller: Controller) -> None:
    machine = controller.folder / "machine.py"
    machine.write_text(machine.read_text().replace("    def __init__(self, *arguments", BAD_PINS))
    device = controller.power_on()
    flashed = CliRunner().invoke(command, ["--port", device])
    assert flashed.exit_code == 2, flashed.output
    assert (
        "the firmware is on, but runs without its readers: safe mode: three starts failed" in flashed.output
    )
    assert "ValueError: bad SCK pin" in flashed.output


def test_only_what_changed_is_sent_and_one_old_firmware_is_kept(controller: Controller) -> None:
    device = controller.power_on()
    assert len(put(device, tiny("a")).send) == 6
    flash.wait_for_hello(device, "naqala-a")
    plan = put(device, tiny("b"))
    assert [file.path for file in plan.send] == ["/naqala-b/naqala_firmware/start.py"]
    assert len(plan.copy) == 5
    flash.wait_for_hello(device, "naqala-b")
    plan = put(device, tiny("c"))
    assert plan.remove == ("naqala-a",)
    flash.wait_for_hello(device, "naqala-c")
    assert sorted(path.name for path in controller.folder.glob("naqala-*")) == ["naqala-b", "naqala-c"]
    assert (controller.folder / "current").read_text() == "naqala-c\nnaqala-b\n"


def whole(folder: Path, firmware: flash.Build) -> bool:
    here = folder / firmware.folder
    return all(
        (here / file.path).exists() and (here / file.path).read_bytes() == file.data
        for file in firmware.files
    )


NEW_CONFIG = '{"name": "cellar"}'


@pytest.mark.long
def test_cut_off_anywhere_the_controller_has_a_whole_firmware(
    controller: Controller, micropython: Path, tmp_path: Path
) -> None:
    device = controller.power_on()
    old, new = tiny("old"), tiny("new")
    put(device, old)
    flash.wait_for_hello(device, old.folder)
    controller.power_off()
    exchanges, runs = 0, []
    while not runs or not runs[-1]:
        exchanges += 3  # what lies between is one half of a file or the other
        copy = Controller(micropython, tmp_path / f"cut{exchanges}")
        shutil.copytree(controller.folder, copy.folder, dirs_exist_ok=True)
        (copy.folder / "stay").write_text("1")  # at the prompt already: the way there is tested above
        device = copy.power_on()
        finished = True
        try:
            put(device, new, lambda prompt, left=exchanges: CutAfter(prompt, left), NEW_CONFIG)  # type: ignore[misc]
        except flash.FlashError as error:
            assert "broke off" in str(error)
            finished = False
        copy.power_off()
        current = (copy.folder / "current").read_text().split()[0]
        firmware = {old.folder: old, new.folder: new}[current]
        assert whole(copy.folder, firmware), f"after {exchanges} exchanges {current} is not whole"
        assert whole(copy.folder, old)
        # Settings of the new firmware never meet the old one.
        settings = (copy.folder / "naqala.json").read_text()
        assert settings == "{}" or (settings == NEW_CONFIG and firmware is new), exchanges
        if finished or exchanges % 9 == 0:
            flash.wait_for_hello(copy.power_on(), current)
            copy.power_off()
        runs.append(finished)
    assert len(runs) > 8
    assert (current, settings) == (new.folder, NEW_CONFIG)


def test_a_firmware_that_does_not_start_gives_way_to_the_one_before(controller: Controller) -> None:
    device = controller.power_on()
    put(device, tiny("good"))
    flash.wait_for_hello(device, "naqala-good")
    put(device, tiny("bad", BROKEN))
    with pytest.raises(flash.FlashError, match="went back to naqala-good"):
        flash.wait_for_hello(device, "naqala-bad")
    assert (controller.folder / "current").read_text() == "naqala-good\n"
    crash = (controller.folder / "crash").read_text()
    assert "bad is broken" in crash
    assert "3 starts of naqala-bad failed, naqala-good runs instead" in crash


def test_ctrl_c_works_until_the_firmware_starts(controller: Controller) -> None:
    device = controller.power_on()
    slow = tiny("slow")
    slow = flash.Build(slow.folder, slow.files, LAUNCHER.replace(b"PAUSE_MS = 20", b"PAUSE_MS = 10000"))
    with flash.prompt_at(device) as prompt:
        flash.carry_out(flash.make_plan(slow, prompt.listing(), "", "{}", ""), prompt)
    controller.power_off()
    device = controller.power_on()
    boots = controller.folder / "boots"
    end = time.monotonic() + 60
    while boots.read_text() != "0 running\n":  # the launcher has written this start down, and pauses
        assert time.monotonic() < end
        time.sleep(0.02)
    assert controller.process
    with serial.Serial(device, timeout=60) as port:  # who opens it later would miss what was said before
        controller.process.send_signal(signal.SIGINT)
        assert b"Naqala waits at the prompt" in port.read_until(b">>> ")
    assert boots.read_text() == "0\n"


def test_versions_configs_and_ports_that_will_not_do(
    controller: Controller, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = controller.power_on()
    monkeypatch.setattr(flash, "OLDEST", (99, 0))
    old = CliRunner().invoke(command, ["--port", device])
    assert old.exit_code == 2
    assert "the controller runs MicroPython 1.25; Naqala needs 99.0 or newer" in old.output
    monkeypatch.undo()
    # Bytecode that the controller cannot read is found out by its own first bytes, before anything is copied.
    for spoilt in (b"M\x07\x00\x1f", b"M\x06\x1c\x1f", b"M\x06\x00\x3f"):
        build = flash.build()
        files = (flash.File(build.files[0].path, spoilt + build.files[0].data[4:]), *build.files[1:])
        monkeypatch.setattr(flash, "build", lambda files=files, build=build: replace(build, files=files))
        strange = CliRunner().invoke(command, ["--port", device])
        assert strange.exit_code == 2
        assert (
            f"{files[0].path} is bytecode of another version than MicroPython 1.25 reads (6)"
            in strange.output
        )
        monkeypatch.undo()
    assert not list(controller.folder.glob("naqala-*"))
    name = CliRunner().invoke(command, ["--port", device, "--name", "two words"])
    assert name.exit_code == 2
    assert "config: name: 1 to 32 letters" in name.output
    assert not (controller.folder / "current").exists()
    nowhere = CliRunner().invoke(command, ["--port", "/dev/ttyNOWHERE"])
    assert nowhere.exit_code == 2
    assert nowhere.output.splitlines()[1:] == [
        "naqala: there is no port '/dev/ttyNOWHERE'; `naqala ports` lists those that are there"
    ]
    folder = CliRunner().invoke(command, ["--port", str(controller.folder)])
    assert folder.exit_code == 2
    assert folder.output.splitlines()[1:] == [
        f"naqala: '{controller.folder}' is no serial port; `naqala ports` lists those that are there"
    ]
    monkeypatch.setattr("naqala.flash.prompt.PROMPT_S", 0.5)
    other = CliRunner().invoke(command, ["--port", "/dev/null"])
    assert other.exit_code == 2
    asked, refused = other.output.splitlines()
    assert asked == "asking /dev/null for MicroPython's prompt"
    assert refused.startswith("naqala: no MicroPython prompt at /dev/null")


CONFIGS = ROOT / "hardware/configs"


def test_settings_are_merged_where_that_makes_sense() -> None:
    def after(there: str, changes: dict[str, Any]) -> dict[str, Any]:
        return dict(json.loads(flash.merge_config(there, changes)))

    bench, table = ((CONFIGS / f"{kit}.json").read_text() for kit in ("bench", "table"))
    assert after(bench, json.loads(table)) == json.loads(table)
    assert after(table, json.loads(bench))["readers"] == json.loads(bench)["readers"]
    fewer = {"readers": {"0": [0, 0]}}
    assert after('{"readers": {"0": [0, 0], "1": [0, 1]}}', fewer) == fewer
    assert after('{"lanes": 5}', json.loads(bench)).get("lanes") is None
    wifi = '{"wifi": {"ssid": "attic", "password": "secret"}}'
    assert after(wifi, {"wifi": {"ssid": "cellar"}})["wifi"] == {"ssid": "cellar", "password": "secret"}
    assert after('{"wifi": "attic", "lamps": 3}', {"wifi": {}, "lamps": {"count": 3}}) == {
        "wifi": {},
        "lamps": {"count": 3},
    }


def test_a_setting_of_another_kind_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(flash, "find_devices", list)
    given = tmp_path / "config.json"
    for text, word in (('{"wifi": "x"}', "wifi"), ('{"broker": [1]}', "broker")):
        given.write_text(text)
        refused = CliRunner().invoke(
            command, ["--link", "mqtt", "--dry-run", "--config", str(given)], input="a\n\n\n10.0.0.2\n"
        )
        assert refused.exit_code == 2, refused.output
        assert f"naqala: config: {word}: an object with" in refused.output


def test_mqtt_asks_for_wifi_and_broker_and_usb_does_not(controller: Controller) -> None:
    device = controller.power_on()
    answers = "attic-net\nsecret\nDE\n10.0.0.2:1884\n"
    asked = CliRunner().invoke(command, ["--port", device, "--link", "mqtt", "--dry-run"], input=answers)
    assert asked.exit_code == 0, asked.output
    assert "Wi-Fi network" in asked.output and "secret" not in asked.output
    silent = CliRunner().invoke(command, ["--port", device, "--link", "usb", "--dry-run"])
    assert silent.exit_code == 0, silent.output
    assert "Wi-Fi" not in silent.output


def test_the_authority_s_certificate_goes_beside_the_config(controller: Controller, tmp_path: Path) -> None:
    pem, der = tmp_path / "ca.pem", tmp_path / "ca.der"
    make = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    paths = ["-keyout", str(tmp_path / "key"), "-out", str(pem), "-subj", "/CN=ours"]
    subprocess.run([*make, *paths], check=True, capture_output=True)
    subprocess.run(["openssl", "x509", "-in", pem, "-outform", "der", "-out", der], check=True)
    device = controller.power_on()
    began = time.gmtime()[:6]
    flashed = CliRunner().invoke(command, ["--port", device, "--ca", str(pem)])
    assert flashed.exit_code == 0, flashed.output
    assert (controller.folder / "broker.der").read_bytes() == der.read_bytes()
    written = json.loads((controller.folder / "naqala.json").read_text())
    assert written == {"broker": {"tls": True, "ca": "broker.der"}}
    clock = tuple(int(word) for word in (controller.folder / "clock").read_text().split())
    assert began <= clock <= time.gmtime()[:6]
    again = CliRunner().invoke(command, ["--port", device, "--ca", str(der), "--dry-run"])
    assert "write broker.der" not in again.output, again.output
    (controller.folder / "broker.der").unlink()
    missing = CliRunner().invoke(command, ["--port", device])
    assert (missing.exit_code, "give the file with --ca" in missing.output) == (2, True), missing.output
    pem.write_text("no certificate")
    wrong = CliRunner().invoke(command, ["--port", device, "--ca", str(pem)])
    assert wrong.exit_code == 2
    assert "is no certificate that can be read" in wrong.output


def test_a_dry_run_needs_no_controller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flash, "find_devices", list)
    dry = CliRunner().invoke(command, ["--name", "attic", "--dry-run"])
    assert dry.exit_code == 0, dry.output
    assert dry.output.splitlines()[0] == "no controller found; this is what a new one would get"
    assert "naqala_firmware/scan.mpy" in dry.output and "write naqala.json" in dry.output
    real = CliRunner().invoke(command, ["--name", "attic"])
    assert (real.exit_code, len(real.output.splitlines())) == (2, 1)
