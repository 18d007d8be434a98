"""Tags on the table, and which coil can power them: readers in, tags that would answer out.

Strengths are A/m, from the field calculation for a 54 mm coil, 5 mm above it: 6.7 anywhere on the own coil, and at most
CROSS of that at the nearest place of the neighbour, by the pitch of the coils in millimetres. A tag answers where the
field is at least its threshold, unless it lies on its side: then its coil catches nothing.

A parked coil that stays in tune carries a third of the active one's current and brings its field to coils farther away:
PARKED has what then arrives at the neighbour, at the diagonal one and two coils on.
"""

OWN = 6.7
CROSS = {65: 1.59 / 6.7, 70: 1.08 / 6.7, 75: 0.76 / 6.7}
# By how coils are parked: (neighbour, diagonal, two away) as parts of the own field, from the array of thirty coils at 75 mm.
PARKED = {"tuned": (0.36, 0.26, 0.17)}
THRESHOLD = 0.8  # a tag of 13 mm


class Tag:
    """One tag. Ids of sixteen digits that begin with e0 are ISO 15693; of eight or fourteen, ISO 14443 type A."""

    # What most tags have in common stands here, and only here: a table holds 130 of them.
    threshold = THRESHOLD  # the field it needs
    strength = OWN  # the field where it stands
    miss = 0.0  # how often it does not answer although it could
    lying = False

    def __init__(self, id: str) -> None:
        self.id = id
        self.number = int(id, 16)
        self.reader = -1  # nowhere


class Coils:
    """The table's coils in rows and columns, and the tags on them."""

    def __init__(self, columns: int = 6, rows: int = 5, pitch: int = 75, parked: str = "") -> None:
        self.columns = columns
        self.rows = rows
        self.cross = PARKED[parked] if parked else (CROSS[pitch], 0.0, 0.0)
        self.on: list = [[] for _ in range(columns * rows)]
        self.heard_at: dict = {}  # by reader, until something moves

    def put(self, tag: Tag, reader: int, strength: float = OWN) -> None:
        """Put a tag down, from wherever it was."""
        self.take(tag)
        tag.reader = reader
        if strength != tag.strength:
            tag.strength = strength
        self.on[reader].append(tag)
        self.heard_at = {}

    def take(self, tag: Tag) -> None:
        if tag.reader >= 0:
            self.on[tag.reader].remove(tag)
            tag.reader = -1
            self.heard_at = {}

    def lay(self, tag: Tag, lying: bool = True) -> None:
        """Lay a piece on its side, or stand it up again."""
        tag.lying = lying
        self.heard_at = {}

    def clear(self) -> None:
        for tags in self.on:
            for tag in tags:
                tag.reader = -1
            tags[:] = []
        self.heard_at = {}

    def heard(self, reader: int) -> list:
        """(tag, strength) of every tag that this reader's field wakes, the strongest first."""
        found = self.heard_at.get(reader)
        if found is None:
            found = [(tag, tag.strength) for tag in self.on[reader]]
            for near, part in self.around(reader):
                found += [(tag, tag.strength * part) for tag in self.on[near]]
            found = [
                (tag, strength) for tag, strength in found if strength >= tag.threshold and not tag.lying
            ]
            found.sort(key=lambda pair: -pair[1])
            self.heard_at[reader] = found
        return found

    def around(self, reader: int) -> list:
        """(reader, part of the field that arrives there) of every coil that this reader's field reaches."""
        row, column = reader // self.columns, reader % self.columns
        near, diagonal, second = self.cross
        reached = []
        for r in range(max(0, row - 2), min(self.rows, row + 3)):
            for c in range(max(0, column - 2), min(self.columns, column + 3)):
                away = (r - row) * (r - row) + (c - column) * (c - column)
                part = near if away == 1 else diagonal if away == 2 else second if away == 4 else 0.0
                if part:
                    reached.append((r * self.columns + c, part))
        return reached
