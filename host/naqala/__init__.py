"""Naqala, the companion for people who play Five Tribes on a real table.

Rooms: `rules` (the rulebook), `table` (what the hands did), `link` (to the controller), `journal`, `session`
(the one object that changes), `dashboard` (pages), `virtual` (a simulated table), `flash` (the firmware's way onto a
controller), `cli` (the command `naqala`). `service` puts them together.
"""

__version__ = "0.1.0"
