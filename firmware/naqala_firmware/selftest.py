"""What a self-test says: one line for a reader, one for the table. States in, sentences for `log` out."""

from naqala_firmware.bus import READS
from naqala_firmware.reader import CODES
from naqala_firmware.schedule import Post

HINTS = dict(CODES)


def report(post: Post) -> str:
    """One reader after its test: what answered, how well it reads, or what to look at."""
    if post.sick:
        return "reader %d: %s: %s" % (
            post.number,
            post.code,
            HINTS.get(post.code or "", "not known to this firmware"),
        )
    settle = post.settle
    bus = "" if post.wrong is None else " bus %d of %d wrong," % (post.wrong, READS)
    return "reader %d: %s,%s field on, %d tags, %s, misses %d in a million, believes absence after %d" % (
        post.number,
        post.reader.version or "chip without version",
        bus,
        len(settle.ids),
        post.code,
        settle.rate,
        settle.k,
    )


def summary(posts: list[Post]) -> str:
    """The table after its first sweep."""
    broken = ["%d %s" % (post.number, post.code) for post in posts if post.sick]
    line = "self-test: %d of %d readers ok" % (len(posts) - len(broken), len(posts))
    return line + (", not: " + ", ".join(broken) if broken else "")
