"""The boards that are made: their plans by name."""

from hardware.pcb import logic, tile
from hardware.pcb.plan import Plan

PLANS: dict[str, Plan] = {
    "tile": tile.plan(),
    "row": logic.plan("row"),
    "controller": logic.plan("controller"),
}
