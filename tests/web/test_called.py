"""`naqala.local`, asked for with packets made by hand: what a phone's own resolver would send and understand."""

from __future__ import annotations

import socket
import struct
import time

from naqala.web.called import Called

GROUP, PORT = "224.0.0.251", 5353
HERE = "127.0.0.1"


def asked(name: str, seconds: float = 10.0) -> set[str]:
    """The addresses that somebody in this network tells for a name (RFC 6762, question of type A by multicast)."""
    labels = b"".join(bytes([len(part)]) + part.encode() for part in name.split("."))
    question = struct.pack("!6H", 0, 0, 1, 0, 0, 0) + labels + b"\0" + struct.pack("!2H", 1, 1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ear:
        ear.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        ear.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        ear.bind(("", PORT))
        member = socket.inet_aton(GROUP) + socket.inet_aton(HERE)
        ear.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
        ear.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(HERE))
        ear.settimeout(0.5)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            ear.sendto(question, (GROUP, PORT))
            try:
                while True:
                    if found := told(ear.recv(9000), labels + b"\0"):
                        return found
            except TimeoutError:
                continue
    return set()


def told(packet: bytes, name: bytes) -> set[str]:
    """Addresses in the answers for this name: its record has type 1 and four bytes."""
    flags, answers = struct.unpack("!2xH2xH", packet[:8])
    if not flags & 0x8000 or not answers:
        return set()
    found, at = set(), packet.find(name)
    while at >= 0:
        kind, _, _, length = struct.unpack("!HHIH", packet[at + len(name) : at + len(name) + 10])
        if kind == 1 and length == 4:
            data = at + len(name) + 10
            found.add(socket.inet_ntoa(packet[data : data + 4]))
        at = packet.find(name, at + 1)
    return found


def test_the_house_has_a_name_and_a_second_one_another() -> None:
    first = Called(["192.168.77.5"], 8000, [HERE])
    second = Called(["192.168.77.6"], 8000, [HERE])
    try:
        assert first.name.startswith("naqala") and second.name.startswith("naqala-")
        assert first.name != second.name
        assert asked(first.name) == {"192.168.77.5"}
        assert asked(second.name) == {"192.168.77.6"}
    finally:
        first.close()
        second.close()
