"""One table's evening: the one object that changes. `snapshot` is what leaves it, `commands` what enters it."""
