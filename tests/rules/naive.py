"""The second opinion: sowings found by doing them, one drop after the other, on a dict of strings.

Written from the rules alone. It shares no code, no table and no idea with `naqala.rules`; it is slow on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator

Board = dict[str, str]  # tile -> letters, absent tiles are empty
Move = tuple[str, tuple[tuple[str, str], ...]]


def beside(tile: str) -> list[str]:
    column, row = ord(tile[0]), int(tile[1])
    spots = [(column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)]
    return [chr(c) + str(r) for c, r in spots if "A" <= chr(c) <= "F" and 1 <= r <= 5]


def moves(board: Board, start: str) -> Iterator[Move]:
    """Every legal sowing from a tile, by trying every drop."""
    hand = board.get(start, "")
    if hand:
        lying = dict(board)
        lying[start] = ""
        for drops in endings(lying, [start], hand):
            yield start, drops


def endings(lying: Board, path: list[str], hand: str) -> Iterator[tuple[tuple[str, str], ...]]:
    """The drops that complete a move legally: what lies there now, where the hand has been, what it holds."""
    for tile in beside(path[-1]):
        if len(path) > 1 and tile == path[-2]:
            continue
        there = lying.get(tile, "")
        for colour in sorted(set(hand)):
            if len(hand) == 1:
                if colour in there:
                    yield ((tile, colour),)
                continue
            lying[tile] = there + colour
            for rest in endings(lying, [*path, tile], hand.replace(colour, "", 1)):
                yield ((tile, colour), *rest)
            lying[tile] = there


def still_open(lying: Board, path: list[str], hand: str) -> set[tuple[str, str]]:
    """The next drops after which at least one legal ending can be found."""
    found = set()
    for tile in beside(path[-1]):
        if len(path) > 1 and tile == path[-2]:
            continue
        there = lying.get(tile, "")
        for colour in set(hand):
            rest = hand.replace(colour, "", 1)
            if rest:
                lies = {**lying, tile: there + colour}
                legal = next(endings(lies, [*path, tile], rest), None) is not None
            else:
                legal = colour in there
            if legal:
                found.add((tile, colour))
    return found


def every_move(board: Board) -> Iterator[Move]:
    for start in [column + row for column in "ABCDEF" for row in "12345"]:
        yield from moves(board, start)


def count(board: Board, start: str) -> int:
    return sum(1 for _ in moves(board, start))


def counted(line: str) -> tuple[dict[str, int], int]:
    """Of a board like `C3=GR D4=R`: sowings per start tile that has any, and the number of outcomes."""
    board = dict(word.split("=") for word in line.split())
    per_start: dict[str, int] = {}
    outcomes = set()
    for start, drops in every_move(board):
        per_start[start] = per_start.get(start, 0) + 1
        outcomes.add((start, drops[-1]))
    return per_start, len(outcomes)


def entry(name: str, line: str) -> str:
    """A position as it stands in positions.txt, counted."""
    per_start, outcomes = counted(line)
    counts = " ".join(f"{tile}={count}" for tile, count in per_start.items())
    return f"{name}\n  board {line}\n  starts {counts}\n  sowings {sum(per_start.values())}\n  outcomes {outcomes}\n"


if __name__ == "__main__":
    print(entry("new position", input()))
