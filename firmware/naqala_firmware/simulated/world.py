"""The world around a simulated table, told in words: lines such as `place e00401500000002a 17` in, time passes, bytes out.

Whoever moves tags or breaks things says so in one line; the same lines go to a table in this process or down a pipe to one
on another interpreter (see `main`). MS is how long a disturbance lasts; without it, until it is ended.

| line | what happens |
|---|---|
| `place TAG READER` | a tag is put down, standing, from wherever it was |
| `remove TAG` | it is lifted off the table |
| `lay TAG`, `stand TAG` | it falls on its side where it is (nobody can read it), it is stood up |
| `echo TAG READER MS` | a reader hears a tag that is not there: a ghost, or a neighbour's |
| `misses RATE MS` | tags do not answer so often, all of them |
| `fault READER KIND MS` | a chip breaks, `_` for a space; `brownout` is over at once |
| `slow READER US MS` | a chip is busy so long after every frame |
| `mend READER` | whatever was wrong with it |
| `restart` | the controller's power goes off and on |
"""

from naqala_firmware.simulated.field import Tag


class World:
    """A SimulatedTable and what is done to it. `run_to` lets time pass; `later` are disturbances that will end."""

    def __init__(self, table) -> None:
        self.table = table
        self.busy_us = table.bench.chips[0].busy_us
        self.later: list = []  # (microseconds, function, arguments)
        self.echoes: list = []

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
        for due in [due for due in self.later if due[0] <= now]:
            self.later.remove(due)
            due[1](*due[2])

    def _end(self, milliseconds: str, function, *arguments) -> None:
        if int(milliseconds):
            self.later.append((self.table.now_us + 1000 * int(milliseconds), function, arguments))

    # --- words ------------------------------------------------------------------------------------------------

    def _place(self, tag: str, reader: str) -> None:
        # What really comes drives its echo out: nothing answers twice on one reader.
        for echo in [echo for echo in self.echoes if echo.id == tag]:
            self._fade(echo)
        self.table.place(tag, int(reader))

    def _remove(self, tag: str) -> None:
        self.table.remove(tag)

    def _lay(self, tag: str) -> None:
        self.table.lay_down(tag)

    def _stand(self, tag: str) -> None:
        self.table.stand_up(tag)

    def _echo(self, tag: str, reader: str, milliseconds: str) -> None:
        coils = self.table.bench.coils
        for there in coils.on[int(reader)]:
            if there.id == tag:
                return
        echo = Tag(tag)
        self.echoes.append(echo)
        coils.put(echo, int(reader))
        self._end(milliseconds, self._fade, echo)

    def _fade(self, echo) -> None:
        if echo in self.echoes:
            self.echoes.remove(echo)
            self.table.bench.coils.take(echo)

    def _misses(self, rate: str, milliseconds: str = "0") -> None:
        self._end(milliseconds, self.table.set_misses, self.table.misses)
        self.table.set_misses(float(rate))

    def _fault(self, reader: str, kind: str, milliseconds: str = "0") -> None:
        self.table.fault(int(reader), kind.replace("_", " "))
        self._end(milliseconds, self._mend, reader)

    def _slow(self, reader: str, us: str, milliseconds: str = "0") -> None:
        self.table.bench.chips[int(reader)].busy_us = int(us)
        self._end(milliseconds, self._mend, reader)

    def _mend(self, reader: str) -> None:
        self.table.fault(int(reader))
        self.table.bench.chips[int(reader)].busy_us = self.busy_us

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
    "restart": World._restart,
}
