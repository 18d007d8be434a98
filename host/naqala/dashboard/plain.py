"""Values of other rooms as plain JSON values."""

from __future__ import annotations

from typing import Any


def plain(value: Any) -> Any:
    """A frozen value of another room as JSON: by its own form if it has one, else by its fields."""
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if hasattr(value, "to_json"):
        return plain(value.to_json())
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    return {name: plain(getattr(value, name)) for name in value.__slots__}
