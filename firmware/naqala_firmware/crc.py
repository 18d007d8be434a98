"""The two checksums of the tags' frames: same polynomial, different start and finish. Bytes in, number out.

ISO 15693 starts with ffff and inverts; ISO 14443 type A starts with 6363 and does not. Both are sent low byte first.
"""


def _table() -> bytes:
    """The CRC of each of the 256 bytes, two bytes a piece: half a kilobyte instead of eight steps per byte."""
    table = bytearray(512)
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ 0x8408 if crc & 1 else crc >> 1
        table[byte * 2] = crc & 255
        table[byte * 2 + 1] = crc >> 8
    return bytes(table)


_TABLE = _table()


def _crc(crc: int, data: bytes | bytearray | memoryview, length: int) -> int:
    table = _TABLE
    for i in range(length):
        at = (crc ^ data[i]) << 1 & 510
        crc = crc >> 8 ^ (table[at] | table[at + 1] << 8)
    return crc


def iso15693(data: bytes | bytearray | memoryview, length: int) -> int:
    """Of the first `length` bytes of data."""
    return _crc(0xFFFF, data, length) ^ 0xFFFF


def iso14443a(data: bytes | bytearray | memoryview, length: int) -> int:
    return _crc(0x6363, data, length)
