"""Enrolment: a handful becomes known, and what is odd about it is said. The command, on a recorded table."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner
from naqala.cli.enrol import command
from naqala.rules.board import MEEPLES
from naqala.table.enrol import enrol, in_the_box, missing_pieces
from naqala.table.pieces import read_tags
from naqala.transcript import Piece

Y, CAMEL = Piece("meeple", "Y"), Piece("camel", "Ann")
TAGS = tuple(f"0400000{n}" for n in range(5))


def test_a_handful_is_registered() -> None:
    known, found = enrol({}, TAGS, Y, count=5)
    assert known == dict.fromkeys(TAGS, Y)
    assert [(f.what, f.text) for f in found] == [("new", "5 registered as yellow one.")]


def test_a_second_registration_and_another_kind_are_found() -> None:
    known, _ = enrol({}, TAGS, Y)
    again, found = enrol(known, TAGS, Y)
    assert again == known and [f.what for f in found] == ["again"]
    other, found = enrol(known, TAGS[:1], CAMEL)
    assert other == known and [f.what for f in found] == ["other"]
    taught, found = enrol(known, TAGS[:1], CAMEL, teach=True)
    assert taught[TAGS[0]] == CAMEL and [f.what for f in found] == ["taught"]


def test_a_dead_tag_and_two_with_the_same_number_are_found() -> None:
    _, found = enrol({}, (*TAGS[:4], TAGS[3].upper()), Y, count=5)
    assert [f.what for f in found] == ["new", "dead"]
    assert found[1].text.startswith("5 pieces, but 4 tags: 1 cannot be read, or two carry the same number.")


def test_more_than_the_box_holds() -> None:
    tags = [f"040000{n:02x}" for n in range(17)]
    _, found = enrol({}, tags, Y)
    assert [f.what for f in found] == ["new", "too_many"]
    assert in_the_box(Piece("palm")) == 12 and in_the_box(Piece("tile", "A1")) == 1


def test_what_is_still_missing() -> None:
    known, _ = enrol({}, TAGS, Y)
    missing = missing_pieces(known, ["Ann"])
    assert missing[Y] == MEEPLES["Y"] - 5
    assert missing[CAMEL] == 11 and missing[Piece("palace")] == 10


RECORDING = """naqala-transcript 1
@0 hello 1 oak 30 0 1 1.0 -
@10 seen 1 4 04000000,04000001,04000002
@20 seen 2 5 0700000a
"""


def run(tmp_path: Path, *arguments: str) -> tuple[int, str, str]:
    recording = tmp_path / "handful.txt"
    recording.write_text(RECORDING)
    file = tmp_path / "tags.csv"
    done = CliRunner().invoke(command, [f"replay:{recording}", str(file), *arguments])
    return done.exit_code, done.output, file.read_text() if file.exists() else ""


def test_the_command_writes_a_file_that_can_be_read(tmp_path: Path) -> None:
    code, output, text = run(tmp_path, "meeple Y", "--reader", "4", "--count", "3", "--seconds", "8")
    assert code == 0, output
    assert "3 registered as yellow one." in output
    assert read_tags(text) == {f"0400000{n}": Y for n in range(3)}
    assert text.splitlines()[:2] == ["tag,piece,name,note", "04000000,meeple,Y,"]


def test_the_command_refuses_in_one_line(tmp_path: Path) -> None:
    code, output, _ = run(tmp_path, "meeple X")
    assert code == 2 and output.count("\n") == 1 and "no such piece" in output
    code, output, text = run(tmp_path, "meeple Y", "--seconds", "8")
    assert code == 2 and "readers 4, 5 see new tags" in output and text == ""
