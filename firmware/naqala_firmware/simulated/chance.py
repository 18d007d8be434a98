"""Seeded chance that gives the same numbers on both interpreters (their random modules differ)."""


class Chance:
    def __init__(self, seed: int = 1) -> None:
        self.state = seed & 0x7FFFFFFF

    def bits(self) -> int:
        """24 random bits."""
        self.state = (self.state * 1103515245 + 12345) & 0x7FFFFFFF
        return self.state >> 7

    def below(self, limit: int) -> int:
        return self.bits() * limit >> 24

    def happens(self, probability: float) -> bool:
        return self.bits() < probability * 16777216

    def shuffled(self, things: list) -> list:
        mixed = list(things)
        for i in range(len(mixed) - 1, 0, -1):
            j = self.below(i + 1)
            mixed[i], mixed[j] = mixed[j], mixed[i]
        return mixed


class BitErrors:
    """How many bits of a frame flip, when each flips with probability `rate`; and which."""

    def __init__(self, chance: Chance, rate: float, bits: int) -> None:
        self.chance = chance
        self.bits = bits
        self.upto = []  # chance of at most 0, 1, 2 ... flips
        term = (1 - rate) ** bits
        total = 0.0
        for flips in range(bits):
            total += term
            self.upto.append(int(total * 16777216))
            if total > 0.9999999:
                break
            term = term * (bits - flips) / (flips + 1) * rate / (1 - rate)

    def flip(self, frame: bytearray) -> int:
        """Flip bits of the frame; returns the first flipped bit, or -1 when it came through whole."""
        drawn = self.chance.bits()
        upto = self.upto
        flips = 0
        while flips < len(upto) and drawn >= upto[flips]:
            flips += 1
        first = -1
        for _ in range(flips):
            bit = self.chance.below(self.bits)
            frame[bit >> 3] ^= 1 << (bit & 7)
            if first < 0 or bit < first:
                first = bit
        return first
