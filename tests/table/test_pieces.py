"""Piece words: what a tag stands for."""

from __future__ import annotations

import pytest
from naqala import transcript
from naqala.table.pieces import BadPiece, piece, printed, read_tags, write_tags
from naqala.transcript import Piece


def test_a_tile_is_known_by_its_place_or_by_what_is_printed_on_it() -> None:
    assert piece("tile C4") == Piece("tile", "C4")
    assert piece("tile sacred_place 15") == Piece("tile", "sacred_place 15")
    assert printed("sacred_place 15") == ("sacred_place", 15)
    assert printed("C4") is None
    for words in ("tile", "tile G1", "tile village 7", "tile castle 5", "tile village"):
        with pytest.raises(BadPiece):
            piece(words)


def test_transcripts_know_both_words_for_a_tile() -> None:
    text = "naqala-transcript 1\ntag 04a1b2c3 tile village 5\ntag 04a1b2c4 tile A1\n"
    assert list(transcript.read(text).tags.values()) == [Piece("tile", "village 5"), Piece("tile", "A1")]


def test_the_list_of_tags_both_ways() -> None:
    tags = {
        "04a1b2c3": Piece("meeple", "Y"),
        "0499ffee": Piece("camel", "Ann Lee"),
        "04000001": Piece("palm"),
    }
    assert read_tags(write_tags(tags)) == tags


def test_what_people_wrote_into_the_list_stays() -> None:
    before = (
        "\ufefftag,piece,name,note\r\n"
        '# my box, "second" edition\n'
        '04B00001,meeple,Y,"chipped,\nsee drawer"\n'
        "\n"
        "04000001,palm,,worn\n"
        "04000009,palace\n"
        "# the end"
    )
    tags = read_tags(before)
    assert write_tags(tags, before) == before.removeprefix("\ufeff").replace("\r\n", "\n") + "\n"
    after = {
        **tags,
        "04000001": Piece("palace"),
        "04a00002": Piece("camel", "Ann"),
        "04a00003": Piece("palm"),
    }
    del after["04000009"]
    assert write_tags(after, before).splitlines() == [
        "tag,piece,name,note",
        '# my box, "second" edition',
        '04B00001,meeple,Y,"chipped,',
        'see drawer"',
        "",
        "04000001,palace,,worn",
        "# the end",
        "04a00002,camel,Ann,",
        "04a00003,palm,,",
    ]
    assert read_tags(write_tags(after, before)) == after
