"""The virtual table: the very firmware on simulated chips, a box of tagged pieces, hands, robots and faults on demand.

It is the table, not the game: it knows no rule and lets people do anything wrong. The host follows it through a link
like any other (`virtual`, `virtual:oak?seed=7`) and cannot tell the difference.
"""
