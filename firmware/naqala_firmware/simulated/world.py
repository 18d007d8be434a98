"""The world around a simulated table, told in words: lines such as `place e00401500000002a 17` in, time passes, bytes out.

Whoever moves tags or breaks things says so in one line; the same lines go to a table in this process or down a pipe to one
on another interpreter (see `main`). MS is how long a disturbance lasts; with 0 it lasts until it is ended. Said again of the
same reader it begins anew: the last word counts.

| line | what happens |
|---|---|
| `place TAG READER` | a tag is put down, standing, from wherever it was |
| `remove TAG` | it is lifted off the table |
| `lay TAG`, `stand TAG` | it falls on its side where it is (nobody can read it), it is stood up |
| `echo TAG READER MS` | a reader hears a tag that is not there: a ghost, or a neighbour's |
| `misses RATE` | tags do not answer so often, all of them: what this table is like |
| `misses RATE MS` | the same as a disturbance, after which the table is as it was |
| `fault READER KIND MS` | a chip breaks, `_` for a space; `brownout` is over at once |
| `slow READER US MS` | a chip is busy so long after every frame |
| `mend READER` | whatever was wrong with it |
| `calm` | every disturbance is over: echoes, misses, faults, slow chips, and what was still to end |
| `restart` | the controller's power goes off and on |
"""

from naqala_firmware.simulated.field import Tag


class World:
    """A SimulatedTable and what is done to it. `run_to` lets time pass; `later` is when each disturbance ends, by what it is
    and where; `misses` is how often tags do not answer when nothing disturbs them."""

    def __init__(self, table) -> None:
        self.table = table
        self.misses = table.misses
        self.busy_us = table.bench.chips[0].busy_us
        self.later: dict = {}  # (what, reader): (microseconds, function, arguments)
        self.echoes: dict = {}  # (tag, reader): the tag that is not there

    def do(self, line: str) -> None:
        """Let what the line says happen. ValueError for a line that says nothing of ours."""
        words = line.split()
        if not words or words[0] not in WORDS:
            raise ValueError("unknown words '%s'; known are %s" % (line, ", ".join(sorted(WORDS))))
        WORDS[words[0]](self, *words[1:])

    def run_to(self, us: int) -> None:
        """Turns of the controller until that microsecond, or until it has said something."""
        table = self.table
        while table.now_us < us:
            if self.later:
                self._end_what_is_over()
            table.step()
            if len(table.cable.up):
                return

    def _end_what_is_over(self) -> None:
        now = self.table.now_us
        for what in [what for what, due in self.later.items() if due[0] <= now]:
            _, function, arguments = self.later.pop(what)
            function(*arguments)

    def _lasts(self, milliseconds: str, what: tuple, function, *arguments) -> None:
        """From now on this disturbance ends then, whatever was said of it before."""
        self.later.pop(what, None)
        if int(milliseconds):
            self.later[what] = (self.table.now_us + 1000 * int(milliseconds), function, arguments)

    # --- words ------------------------------------------------------------------------------------------------

    def _place(self, tag: str, reader: str) -> None:
        # What really comes drives its echo out: nothing answers twice on one reader.
        for echo in [echo for echo in self.echoes if echo[0] == tag]:
            self._fade(*echo)
        self.table.place(tag, int(reader))

    def _remove(self, tag: str) -> None:
        self.table.remove(tag)

    def _lay(self, tag: str) -> None:
        self.table.lay_down(tag)

    def _stand(self, tag: str) -> None:
        self.table.stand_up(tag)

    def _echo(self, tag: str, reader: str, milliseconds: str) -> None:
        coils = self.table.bench.coils
        if (tag, reader) not in self.echoes:
            for there in coils.on[int(reader)]:
                if there.id == tag:
                    return
            self.echoes[tag, reader] = Tag(tag)
            coils.put(self.echoes[tag, reader], int(reader))
        self._lasts(milliseconds, ("echo " + tag, reader), self._fade, tag, reader)

    def _fade(self, tag: str, reader: str) -> None:
        self.later.pop(("echo " + tag, reader), None)
        self.table.bench.coils.take(self.echoes.pop((tag, reader)))

    def _misses(self, rate: str, milliseconds: str = "") -> None:
        if not milliseconds:
            self.misses = float(rate)
        self.table.set_misses(float(rate))
        self._lasts(milliseconds or "0", ("misses", ""), self._answer)

    def _answer(self) -> None:
        self.table.set_misses(self.misses)

    def _fault(self, reader: str, kind: str, milliseconds: str = "0") -> None:
        self.table.fault(int(reader), kind.replace("_", " "))
        if kind != "brownout":
            self._lasts(milliseconds, ("fault", reader), self.table.fault, int(reader))

    def _slow(self, reader: str, us: str, milliseconds: str = "0") -> None:
        self._busy(int(reader), int(us))
        self._lasts(milliseconds, ("slow", reader), self._busy, int(reader), self.busy_us)

    def _busy(self, reader: int, us: int) -> None:
        self.table.bench.chips[reader].busy_us = us

    def _mend(self, reader: str) -> None:
        for what in ("fault", "slow"):
            self.later.pop((what, reader), None)
        self.table.fault(int(reader))
        self._busy(int(reader), self.busy_us)

    def _calm(self) -> None:
        for echo in list(self.echoes):
            self._fade(*echo)
        for reader in range(self.table.count):
            self._mend(str(reader))
        self._answer()
        self.later.clear()

    def _restart(self) -> None:
        self.table.restart()


WORDS: dict = {
    "place": World._place,
    "remove": World._remove,
    "lay": World._lay,
    "stand": World._stand,
    "echo": World._echo,
    "misses": World._misses,
    "fault": World._fault,
    "slow": World._slow,
    "mend": World._mend,
    "calm": World._calm,
    "restart": World._restart,
}
