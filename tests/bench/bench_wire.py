"""The wire: what a line costs on both interpreters, and what a decoder holds."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from naqala_protocol import FROM_CONTROLLER, LONGEST_LINE, Decoder, Seen, encode

from tests.bench.measure import milliseconds

ROOT = Path(__file__).parents[2]
MICROPYTHON = ROOT / ".tools/micropython/micropython"
TAGS = tuple(f"e00401500000a{n:03x}" for n in range(10))
ON_THE_CHIP = """
import gc, json, sys, time
sys.path[:0] = ["protocol"]
from naqala_protocol import *
tags = tuple(["e00401500000a%03x" % n for n in range(10)])
line = encode(Seen(1, 2, tags))
decoder = Decoder(FROM_CONTROLLER)
gc.collect(); before = gc.mem_alloc()
decoders = [Decoder(FROM_CONTROLLER) for _ in range(20)]
gc.collect(); held = (gc.mem_alloc() - before) / 20
began = time.ticks_us()
for _ in range(500): encode(Seen(1, 2, tags))
written = time.ticks_diff(time.ticks_us(), began) / 500
began = time.ticks_us()
for _ in range(500): decoder.feed(line)
read = time.ticks_diff(time.ticks_us(), began) / 500
print(json.dumps({"written": written, "read": read, "held": held}))
"""


def rows() -> Iterator[dict[str, Any]]:
    line = encode(Seen(1, 2, TAGS))
    count = 2000
    stream = line * count
    took, spread = milliseconds(lambda: Decoder(FROM_CONTROLLER).feed(stream))
    bare, _ = milliseconds(lambda: [piece.split(b" ") for piece in stream.split(b"\n")])
    per_line = took / count * 1000
    yield {
        "name": "decode one line of 10 tags, host",
        "value": per_line,
        "unit": "us",
        "spread": spread / count * 1000,
        "note": f"a whole table is 30 lines: {per_line * 30 / 1000:.2f} ms",
    }
    yield {
        "name": "decode against splitting the bytes and checking nothing",
        "value": took / bare,
        "unit": "ratio",
        "spread": None,
        "note": "the price of a checksum and of checked fields",
    }
    command = [MICROPYTHON, "-X", "heapsize=192k", "-c", ON_THE_CHIP]
    chip = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout)
    yield {
        "name": "encode the same, MicroPython on this machine",
        "value": chip["written"],
        "unit": "us",
        "spread": None,
        "note": "a chip is some 100 times slower",
    }
    yield {
        "name": "decode the same, MicroPython on this machine",
        "value": chip["read"],
        "unit": "us",
        "spread": None,
        "note": "the controller reads only the host's lines, which are shorter",
    }
    yield {
        "name": "memory of an idle decoder, MicroPython",
        "value": chip["held"],
        "unit": "bytes",
        "spread": None,
        "note": f"and at most one line of {LONGEST_LINE} bytes",
    }
