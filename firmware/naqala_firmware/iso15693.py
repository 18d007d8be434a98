"""ISO 15693 without any chip: times of the frames, the inventory request, masks, ids.

Times are microseconds for 100 % modulation, one out of four, one subcarrier, high data rate; fc is 13.56 MHz.
A mask is a value (eight bytes, lowest bits first, zero above its length) *and* a length in bits, always kept apart:
a mask of four zero bits is not the same as no mask. The id bytes of a reply stand in the same order as a mask's.
"""

FC = 13.56  # MHz
T1_US = 321  # request's end to the reply: 4352/fc
T2_US = 310  # reply's end to the next request: 4192/fc
REPLY_US = 3927  # start, 12 bytes, end of an inventory reply
START_US = 151  # of which the start of frame
EOF_US = 38  # an end of frame alone: "next slot"
# After this nobody has begun to answer. A start of frame ends 474 us after the request at the latest, and a receiver says so
# some 50 to 120 us later; 755 us leaves twice that, as other readers do.
WINDOW_US = 755
READY_US = 1000  # field on to the first request; counted from the moment the chip says that it is on

INVENTORY = 0x01
STAY_QUIET = 0x02
SIXTEEN_SLOTS = 0x06  # request flags: high data rate, inventory
ONE_SLOT = 0x26
ADDRESSED = 0x22

REPLY_BYTES = 10  # flags, family, id
ID_AT = 2  # where the id begins in a reply
ID_BITS = 64
MOST_MASK = 60  # bits, for sixteen slots: the slot is four more


def request_us(count: int) -> int:
    """How long a request of so many bytes (with its CRC) is on the air."""
    return int((1024 + 4096 * count + 512) / FC + 0.5)


INVENTORY_US = tuple([request_us(5 + n) for n in range(9)])  # by the number of mask bytes
STAY_QUIET_US = request_us(12)


def name(data: bytes | bytearray, at: int) -> str:
    """The id that begins at `at`, as it is printed: highest byte first, so it begins with e0."""
    return "".join(["%02x" % data[at + 7 - i] for i in range(8)])


def same_low_bits(data: bytearray, at: int, mask: bytearray, to: int, length: int) -> bool:
    """Do the lowest `length` bits of the id at `at` agree with the mask that stands at `to`?"""
    whole = length >> 3
    for i in range(whole):
        if data[at + i] != mask[to + i]:
            return False
    rest = length & 7
    return not rest or (data[at + whole] ^ mask[to + whole]) & ((1 << rest) - 1) == 0


def copy_low_bits(data: bytearray, at: int, mask: bytearray, to: int, length: int) -> None:
    """Make the mask that stands at `to` the lowest `length` bits of the id at `at`, zero above."""
    whole = length >> 3
    rest = data[at + whole] & ((1 << (length & 7)) - 1) if length & 7 else 0
    for i in range(8):
        mask[to + i] = data[at + i] if i < whole else 0
    if rest:
        mask[to + whole] = rest


def put_slot(mask: bytearray, length: int, slot: int) -> None:
    """Lengthen a mask by its four slot bits, whatever stood there before; the length is then length + 4."""
    at = length >> 3
    shift = length & 7
    mask[at] = mask[at] & ~(15 << shift) & 255 | slot << shift & 255
    if shift > 4:
        mask[at + 1] = mask[at + 1] & ~(15 >> 8 - shift) & 255 | slot >> 8 - shift
