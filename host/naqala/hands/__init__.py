"""Human hands at a physical table: what people do with tagged pieces, and what readers and wire make of it.

One library for the virtual table's robots, for tests and for calibration. Nothing here reads a file or a clock; dice are
handed in, so the same seed gives the same evening. It knows the rules (to know what is legal) and nothing of the referee
(`naqala.table`), because it is used to check the referee.

    table.py     where every piece is, and a scene: hands, a clock that they move on, a history
    people.py    how quick a person is
    styles.py    a legal sowing in one of many styles, as motions
    slips.py     illegal moves, each with the rule that it breaks and the drop that breaks it
    repairs.py   how people put an illegal move right
    deeds.py     everything else that hands do in a turn, from the events of the rules
    noise.py     how bad readers and wire are: named levels, and what goes wrong in one evening
    readers.py   looks of the readers, settling, and the lines on the wire
    recording.py what readers made of it as a transcript, and single moves
    truth.py     what really happened, as values and as lines in a transcript's file
    evening.py   whole evenings: a transcript, and the truth about it
"""
