"""The systemd unit of the companion as text: for `naqala service install` and for the Debian package, which differ in a few values.

A unit of the system is locked in: it sees its own folders, serial ports and the network, and nothing else of the machine. What a
user's own systemd may not do (mount, other users, devices) is left out there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

NAME = "naqala.service"
LOW_PORTS = 1024  # below them a program needs a capability
# For every unit. AF_NETLINK tells the addresses of this machine; @system-service is systemd's own list of system calls.
LOCKED_FOR_ALL = (
    "NoNewPrivileges=yes",
    "LockPersonality=yes",
    "RestrictRealtime=yes",
    "RestrictSUIDSGID=yes",
    "RestrictNamespaces=yes",
    "SystemCallArchitectures=native",
    "SystemCallFilter=@system-service",
    "SystemCallErrorNumber=EPERM",
    "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK",
    "UMask=0077",
)
LOCKED_FOR_SYSTEM = (
    "ProtectSystem=strict",
    "ProtectHome=read-only",
    "PrivateTmp=yes",
    "ProtectProc=invisible",
    "ProtectClock=yes",
    "ProtectHostname=yes",
    "ProtectKernelLogs=yes",
    "ProtectKernelModules=yes",
    "ProtectKernelTunables=yes",
    "ProtectControlGroups=yes",
    "RemoveIPC=yes",
    "DevicePolicy=closed",
    "DeviceAllow=char-ttyACM rw",
    "DeviceAllow=char-ttyUSB rw",
)


@dataclass(frozen=True)
class Unit:
    """`user` is empty for a unit of the user's own systemd. `writes` are the folders that it may change; `environment` is a file
    with settings that may be absent."""

    command: Sequence[str]
    home: Path
    user: str = ""
    groups: Sequence[str] = ("dialout",)
    ports: Sequence[int] = ()
    writes: Sequence[Path] = ()
    environment: Path | None = None
    state: str = ""  # a folder below /var/lib that systemd makes


def quoted(word: str) -> str:
    """A word of a command line as systemd reads it."""
    safe = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{safe}"' if not word or any(sign in word for sign in " \t\"'\\;") else safe


def text(unit: Unit) -> str:
    """The whole file."""
    return "\n".join(
        [
            "[Unit]",
            "Description=Naqala, companion for a table with RFID readers",
            "Wants=network-online.target",
            "After=network-online.target",
            "StartLimitIntervalSec=0",
            "",
            "[Service]",
            "Type=simple",
            *_service(unit),
            "",
            "[Install]",
            f"WantedBy={'multi-user.target' if unit.user else 'default.target'}",
            "",
        ]
    )


def _service(unit: Unit) -> Iterator[str]:
    yield f"ExecStart={' '.join(map(quoted, unit.command))}"
    # One that ends is started again, ever more slowly: a wrong setting must not fill the log.
    yield from ("Restart=always", "RestartSec=3", "TimeoutStopSec=30", "KillSignal=SIGTERM")
    yield "Environment=PYTHONUNBUFFERED=1"
    if unit.environment is not None:
        yield f"EnvironmentFile=-{unit.environment}"
    yield from LOCKED_FOR_ALL
    if not unit.user:
        return
    yield f"User={unit.user}"
    if unit.groups:
        yield f"SupplementaryGroups={' '.join(unit.groups)}"
    if unit.state:
        yield from (f"StateDirectory={unit.state}", "StateDirectoryMode=0750")
    for folder in unit.writes:
        yield f"ReadWritePaths={quoted(str(folder))}"
    yield from LOCKED_FOR_SYSTEM
    low = any(0 < port < LOW_PORTS for port in unit.ports)
    yield f"CapabilityBoundingSet={'CAP_NET_BIND_SERVICE' if low else ''}"
    yield f"AmbientCapabilities={'CAP_NET_BIND_SERVICE' if low else ''}"
