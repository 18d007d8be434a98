"""The transcript's text, both ways, and the sentence for each way it can be wrong."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from naqala.transcript import Moment, Piece, Tap, Transcript, TranscriptError, read, write
from naqala_protocol import Alive, Fault, Hello, Log, Looked, Seen

DESIGN = """naqala-transcript 1
# an evening in March
position {"tiles": {"A1": {"meeples": "YWB"}}, "turn": {"player": "Ann", "phase": "sow"}}
reader 17 C4
reader 3 a1   # near the window
tag 04A1B2C3 meeple Y
tag 0499ffee camel Ann of the #1 team
tag 04000001 tile A1
tag 04000002 palm # wobbly
tag 04000003 palace

@0 seen 1 17 04a1b2c3,0499ffee
@10 seen 2 3 -
@20 sings 4 5
@5300 tap {"do": "end", "player": "Ann"}
"""


def test_the_design_page_s_example() -> None:
    assert read(DESIGN) == Transcript(
        position={"tiles": {"A1": {"meeples": "YWB"}}, "turn": {"player": "Ann", "phase": "sow"}},
        readers={17: "C4", 3: "A1"},
        tags={
            "04a1b2c3": Piece("meeple", "Y"),
            "0499ffee": Piece("camel", "Ann of the #1 team"),
            "04000001": Piece("tile", "A1"),
            "04000002": Piece("palm"),
            "04000003": Piece("palace"),
        },
        moments=(
            Moment(0, Seen(1, 17, ("04a1b2c3", "0499ffee"))),
            Moment(10, Seen(2, 3, ())),
            Moment(5300, Tap({"do": "end", "player": "Ann"})),
        ),
    )


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("seen 1 17 -", "line 2: unknown word 'seen'"),
        ("@x seen 1 17 -", "line 2: a time is '@' and milliseconds, not '@x'"),
        ("@5", "line 2: nothing happens at this time"),
        ("@5 seen 1 64 -", "line 2: no such reader: '64'"),
        ("@5 seen 1", "line 2: 'seen' needs 3 words"),
        ("@5 tap [1]", "line 2: a tap is one JSON object"),
        ("@5 tap {", "line 2: not JSON"),
        ("reader 64 A1", "line 2: 'reader NUMBER TILE' with a number from 0 to 63"),
        ("reader 6 G1", "line 2: no such tile: 'G1'; tiles are A1 to F5"),
        ("tag 04 palm", "line 2: not a tag of 8 to 16 hex digits: '04'"),
        ("tag - palm", "line 2: 'tag ID PIECE' with 8 to 16 hex digits"),
        ("tag 04000001 meeple X", "line 2: a piece is 'meeple Y|W|G|B|R'"),
        ("tag 04000001 camel", "line 2: a piece is"),
        ("position 7", "line 2: a position is one JSON object"),
    ],
)
def test_each_error_names_its_line(line: str, sentence: str) -> None:
    with pytest.raises(TranscriptError) as error:
        read(f"naqala-transcript 1\n{line}\n")
    assert str(error.value).startswith(sentence)


@pytest.mark.parametrize(
    "line",
    [
        'position {"tiles": ' + "[" * 100_000,
        '@0 tap {"do": ' + "[" * 100_000,
        "@" + "9" * 5000 + " seen 1 1 -",
        "reader " + "9" * 5000 + " A1",
    ],
    ids=["a deep position", "a deep tap", "a time of 5000 digits", "a reader of 5000 digits"],
)
def test_numbers_and_nests_without_end_are_one_short_sentence(line: str) -> None:
    with pytest.raises(TranscriptError, match=r"^line 2: ") as refused:
        read(f"naqala-transcript 1\n{line}\n")
    assert len(str(refused.value)) < 120


def test_two_stories_about_one_reader_are_refused() -> None:
    with pytest.raises(TranscriptError, match="line 3: '5' is said to be 'A1' above and 'A2' here"):
        read("naqala-transcript 1\nreader 5 A1\nreader 5 A2\n")


@pytest.mark.parametrize("text", ["", "# nothing\n", "naqala-transcript 2\n", "GIF89a\n"])
def test_what_is_no_transcript_says_how_one_begins(text: str) -> None:
    with pytest.raises(TranscriptError, match="a transcript begins with 'naqala-transcript 1'"):
        read(text)


names = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1, max_size=12)
tags = st.from_regex(r"[0-9a-f]{8,16}", fullmatch=True)
tiles = st.from_regex(r"[A-F][1-5]", fullmatch=True)
numbers = st.integers(0, 2**32 - 1)
pieces = st.one_of(
    st.builds(Piece, st.just("meeple"), st.sampled_from("YWGBR")),
    st.builds(Piece, st.just("camel"), names),
    st.builds(Piece, st.just("tile"), tiles),
    st.sampled_from((Piece("palm"), Piece("palace"))),
)
messages = st.one_of(
    st.builds(Seen, numbers, st.integers(0, 63), st.lists(tags, max_size=5).map(tuple)),
    st.builds(Fault, numbers, st.integers(0, 63), st.just("silent")),
    st.builds(Alive, numbers, numbers, numbers, numbers, st.just((("errors", 3),))),
    st.builds(Looked, numbers, st.lists(st.integers(0, 63), max_size=64).map(tuple)),
    st.just(Log("warning", "a loose cable, perhaps")),
    st.just(Hello(1, "oak", 30, 0, 7, "0.9.1", ("focus",))),
    st.builds(Tap, st.dictionaries(names, names, max_size=3)),
)


@settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow]
)  # a busy machine is no fault of the text
@given(
    st.builds(
        Transcript,
        st.none() | st.dictionaries(names, names, max_size=3),
        st.dictionaries(st.integers(0, 63), tiles, max_size=5),
        st.dictionaries(tags, pieces, max_size=5),
        st.lists(st.builds(Moment, st.integers(0, 10**9), messages), max_size=6).map(tuple),
    )
)
def test_reading_is_the_reverse_of_writing(transcript: Transcript) -> None:
    assert read(write(transcript)) == transcript
