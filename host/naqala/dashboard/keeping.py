"""Pages kept: a drop changes a tile and a sentence, and the rest of a page need not be made again.

In: snapshots for a viewer. Out: the fragments of the page. What is made of the very same values is taken over from the last
time, and a fragment is rendered only when something it reads has changed; what it reads is found in its template.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import current_app
from jinja2 import meta

from naqala.dashboard.scene import FRAGMENTS, scene
from naqala.dashboard.view import show
from naqala.dashboard.viewers import Sitting, Viewer
from naqala.session.snapshot import Snapshot

Made = dict[str, tuple[dict[str, Any], str]]  # fragment -> what it read, what came of it


class Page:
    """One page of one viewer, in one language: how it was the last time. `others` is what pages of the same table in the same
    words made last: what is equal for all, as the board is, is rendered once."""

    def __init__(self, page: str, viewer: Viewer, others: Made | None = None) -> None:
        self._page, self._viewer = page, viewer
        self._others: Made = others if others is not None else {}
        self._snapshot: Snapshot | None = None
        self._shown: dict[str, Any] = {}
        self._context: dict[str, Any] = {}
        self._made: Made = {}
        self._full: dict[str, Any] = {}

    def fragments(
        self, snapshot: Snapshot, sitting: Sitting, address: str, extras: Mapping[str, object]
    ) -> dict[str, str]:
        """Every fragment of the page, by id."""
        self._shown = show(snapshot, self._viewer, self._snapshot, self._shown)
        self._context = {**scene(self._shown, sitting, address, self._context), **extras}
        self._snapshot = snapshot
        self._full = {}  # with what every template knows, once one is rendered
        return {name: self._fragment(f"fragments/{name}.html") for name in FRAGMENTS[self._page]}

    def _fragment(self, template: str) -> str:
        read = {name: self._context[name] for name in reads(template) & self._context.keys()}
        made = self._made.get(template)
        if made is None or made[0] != read:
            made = self._others.get(template)
            if made is None or made[0] != read:
                made = self._others[template] = (read, self._render(template))
            self._made[template] = made
        return made[1]

    def _render(self, template: str) -> str:
        """As `flask.render_template` does, but what all templates know is put together once for all fragments."""
        if not self._full:
            self._full = dict(self._context)
            current_app.update_template_context(self._full)
        return current_app.jinja_env.get_template(template).render(self._full)


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
