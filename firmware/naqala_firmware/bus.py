"""How fast the readers' SPI bus may be: the fastest speed at which every chip's own number is read without a wrong bit.

Cables, buffers and the chip itself delay an answer; too fast a clock reads it a bit late, now and then at first. So at each
start, unless the config says a speed (`spi`), every chip's number is read at the slowest speed, and then again and again at
the others, the fastest first. Readers in, a speed and a sentence out.
"""

from naqala_firmware.pn5180_frames import DIE_BYTES
from naqala_firmware.reader import ReaderFault

# In Hz: the PN5180 takes 7 MHz, buffered rows hardly more than 4.
SPEEDS = (4_000_000, 2_000_000, 1_000_000, 500_000)
READS = 100  # at each speed, all readers together; of each reader in its self-test
UNKNOWN = 1_000_000  # with nobody to ask


def fastest(readers: dict, set_speed) -> tuple[int, str]:
    """The speed to use, which is set, and what to tell of it."""
    set_speed(SPEEDS[-1])
    numbers = {}
    for number in sorted(readers):
        read = _number(readers[number])
        if read and read == _number(readers[number]):
            numbers[number] = read
    if not numbers:
        set_speed(UNKNOWN)
        return UNKNOWN, "bus: nobody answers, %d kHz" % (UNKNOWN // 1000)
    doubts = ""
    for speed in SPEEDS:
        set_speed(speed)
        wrong = _first_wrong(readers, numbers)
        if wrong is None:
            return speed, "bus: %d kHz, clean on %d readers%s" % (speed // 1000, len(numbers), doubts)
        doubts = "; %d kHz had wrong bits on reader %d" % (speed // 1000, wrong)
    return speed, "bus: %d kHz, and not even that is clean%s" % (speed // 1000, doubts)


def wrong_reads(reader) -> int:
    """How many of READS readings of a chip's number differ from what it was read as most often."""
    first = _number(reader)
    wrong = 0
    for _ in range(READS - 1):
        if _number(reader) != first:
            wrong += 1
    return min(wrong, READS - wrong)


def _first_wrong(readers: dict, numbers: dict) -> int | None:
    for _ in range(READS // len(numbers) + 1):
        for number in numbers:
            if _number(readers[number]) != numbers[number]:
                return number
    return None


def _number(reader) -> bytes:
    """The chip's own number; empty when it does not answer."""
    read = bytearray(DIE_BYTES)
    try:
        reader.identify(read)
    except ReaderFault:
        reader.stop()
        return b""
    return b"" if read in (b"\x00" * DIE_BYTES, b"\xff" * DIE_BYTES) else bytes(read)
