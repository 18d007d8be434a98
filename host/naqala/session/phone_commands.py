"""What people may ask of a session beside the commands of every table: laying a board out without readers, and going from
readers to phones and back. Frozen values, as in `commands`."""

from __future__ import annotations

from dataclasses import dataclass

NONE = "-"


@dataclass(frozen=True, slots=True)
class Stroke:
    """One thing somebody told of a layout. `at` is a tile or a row, `what` depends on `do`; see `layout`."""

    by: str
    do: str
    at: str = NONE
    what: str = NONE

    def __str__(self) -> str:
        return f"{self.do} {self.at} {self.what} {self.by}"

    @classmethod
    def from_text(cls, line: str) -> Stroke:
        """The other way; ValueError for anything else."""
        do, at, what, by = line.split(" ", 3)
        return cls(by, do, at, what)


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Without the last stroke of this person."""

    by: str


@dataclass(frozen=True, slots=True)
class GoOnWithPhones:
    """Stop reading the table: the record is the table."""

    by: str


@dataclass(frozen=True, slots=True)
class BackToReaders:
    """Read the table again."""

    by: str
