"""Every waiting time of the referee, in milliseconds of the transcript's clock. No other number of this kind anywhere.

A reading waits only when waiting can change it: absence (a missed read heals), a result that can still grow, an order
that a scoop will settle. What cannot change passes at once.
"""

from __future__ import annotations

# Sight.
FADES = 600  # a piece no longer read still counts as there; a whole tile lifted in one line counts at once
REAPPEARS = 1200  # back on the tile it was last seen on within this: it was there all the time
DOUBLE = 1500  # a piece read in two places: so long the late absence of the old place may still come
SWEEP = 5000  # a mapped reader that has not spoken so long after the others is silent

# Explain: how long a reading stands before it is said.
AT_ONCE = 0
TOGETHER = 50  # two drops seen within this came together: their order is not known
LATE = 900  # a drop may be read so much later than the one after it: two looks of a reader
SOON = 600  # two tiles emptied within this, or within LOOKS sweeps: which was first is not known
LOOKS = 3  # sweeps of the controller that may pass until a reader tells that a piece is gone
GROWS = 1500  # a result that a second grab from the start tile could still change
UNSEEN_LAST = 800  # the last meeple was never put down, only the scoop was seen
REOPENED = 1500  # a move that was read as done and is being changed: a scoop in two grabs looks the same
SETTLES = 600  # a broken rule that no further drop can mend
LAYS = 2500  # a hand that shows no drop for so long may have laid all its meeples down, to stand them up in any order
GAP = 900  # then a drop out of reach may still be joined to the path by one that is stood up soon after it
ASKS = 2500  # several legal readings: the scoop that follows usually settles it
HIDDEN = 5000  # meeples that may still be in the hand, or where nobody can see them
SCOOPS = 2500  # a group that lies still is reminded of; another colour taken from the end tile is flagged
STRANGE = 2500  # pieces out of place that no rule of the moment explains
MISSING = 8000  # a piece that stands nowhere while nobody moves: lying, bumped, unreadable
OWED = 10000  # a camel, palm or palace that is due, or the rest of a group half taken
POWER = 1500  # pieces that only a djinn's power can have brought: another may follow
VICTIM = 1500  # a meeple gone in the kill phase
