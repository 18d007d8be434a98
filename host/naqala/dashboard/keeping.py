"""Pages kept: a drop changes a tile and a sentence, and the rest of a page need not be made again.

In: snapshots for a viewer. Out: the fragments of the page. What is made of the very same values is taken over from the last
time, and a fragment is rendered only when something it reads has changed; what it reads is found in its template.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import current_app, render_template
from jinja2 import meta

from naqala.dashboard.scene import FRAGMENTS, scene
from naqala.dashboard.view import show
from naqala.dashboard.viewers import Sitting, Viewer
from naqala.session.snapshot import Snapshot


class Page:
    """One page of one viewer, in one language: how it was the last time."""

    def __init__(self, page: str, viewer: Viewer) -> None:
        self._page, self._viewer = page, viewer
        self._snapshot: Snapshot | None = None
        self._shown: dict[str, Any] = {}
        self._context: dict[str, Any] = {}
        self._made: dict[str, tuple[dict[str, Any], str]] = {}  # fragment -> what it read, what came of it

    def fragments(
        self, snapshot: Snapshot, sitting: Sitting, address: str, extras: Mapping[str, object]
    ) -> dict[str, str]:
        """Every fragment of the page, by id."""
        self._shown = show(snapshot, self._viewer, self._snapshot, self._shown)
        self._context = {**scene(self._shown, sitting, address, self._context), **extras}
        self._snapshot = snapshot
        return {name: self._fragment(f"fragments/{name}.html") for name in FRAGMENTS[self._page]}

    def _fragment(self, template: str) -> str:
        read = {name: self._context[name] for name in reads(template) & self._context.keys()}
        made = self._made.get(template)
        if made is None or made[0] != read:
            made = self._made[template] = (read, render_template(template, **self._context))
        return made[1]


def reads(template: str) -> frozenset[str]:
    """The names a template asks for, and all that it takes in."""
    known: dict[str, frozenset[str]] = current_app.extensions["naqala-reads"]
    if template not in known:
        env = current_app.jinja_env
        assert env.loader is not None
        tree = env.parse(env.loader.get_source(env, template)[0])
        found = frozenset(meta.find_undeclared_variables(tree))
        for other in meta.find_referenced_templates(tree):
            assert other is not None, f"{template} takes in a template that only its context names"
            found |= reads(other)
        known[template] = found
    return known[template]
