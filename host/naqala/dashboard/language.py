"""Four languages and the two wordings of the editions. `say` gives a sentence in the language of who looks.

Catalogues are plain .po files, read when a language is first used: nothing to compile, nothing to forget. The card is
always a "fakir" in the sentences; a viewer of the other printing reads its word there, changed before names are put
in, so that nobody called Fakir is renamed.
"""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import Translations
from flask import Flask, g, has_app_context, has_request_context, request, session
from flask_babel import Babel, Domain, get_locale

LANGUAGES: dict[str, str] = {"en": "English", "fr": "Français", "nl": "Nederlands", "ru": "Русский"}
WORDINGS = ("fakir", "slave")
CATALOGUES = Path(__file__).parent / "translations"

# How the first printing calls the card, as replacements in the order given.
_FIRST_PRINTING: dict[str, tuple[tuple[str, str], ...]] = {
    "en": (("fakir", "slave"), ("Fakir", "Slave")),
    "fr": (
        (r"\b([LlDd])e fakir\b", r"\1'esclave"),
        ("fakir", "esclave"),
        ("Fakir", "Esclave"),
    ),
    "nl": (("fakirs", "slaven"), ("Fakirs", "Slaven"), ("fakir", "slaaf"), ("Fakir", "Slaaf")),
    "ru": (("факир", "раб"), ("Факир", "Раб")),  # noqa: RUF001
}


class Catalogues(Domain):  # type: ignore[misc]
    """The translations straight from their .po files."""

    def get_translations(self) -> Translations:
        """Those of the language of who looks."""
        language = language_here()
        if language not in self.cache:
            self.cache[language] = read_catalogue(language)
        found: Translations = self.cache[language]
        return found


def read_catalogue(language: str) -> Translations:
    """One language's sentences; English needs none but its plurals."""
    path = CATALOGUES / f"{language}.po"
    if not path.exists():
        return Translations()
    binary = BytesIO()
    with path.open("rb") as file:
        write_mo(binary, read_po(file, locale=language))
    binary.seek(0)
    return Translations(binary)


def language_here() -> str:
    """The language of who looks; asked for every word, so it is worked out once a request."""
    if not has_app_context():
        return "en"
    if "language_here" not in g:
        g.language_here = str(get_locale() or "en").split("_")[0]
    return str(g.language_here)


def wording_here() -> str:
    """The wording of who looks, if they chose one; worked out once a request, like the language."""
    if not has_request_context():
        return WORDINGS[0]
    if "wording_here" not in g:
        chosen = session.get("wording") or g.get("table_edition")
        g.wording_here = chosen if chosen in WORDINGS else WORDINGS[0]
    return str(g.wording_here)


def _choose() -> str:
    """What this viewer chose, else the table's language, else the browser's."""
    if not has_request_context():
        return "en"
    for wanted in (session.get("language"), g.get("table_language")):
        if wanted in LANGUAGES:
            return str(wanted)
    return request.accept_languages.best_match(LANGUAGES) or "en"


def _worded(text: str) -> str:
    if wording_here() == WORDINGS[0]:
        return text
    for old, new in _FIRST_PRINTING[language_here()]:
        text = re.sub(old, new, text)
    return text


def _translations() -> Any:
    from flask_babel import get_translations

    return get_translations()


def _gettext(message: str) -> str:
    return _worded(_translations().ugettext(message))


def _ngettext(one: str, many: str, count: int) -> str:
    return _worded(_translations().ungettext(one, many, count))


def say(message: str, **facts: Any) -> str:
    """A sentence in the language and wording of who looks, with its facts put in."""
    text = _gettext(message)
    return text % facts if facts else text


def say_n(one: str, many: str, count: int, **facts: Any) -> str:
    """A sentence that depends on a number, %(n)s in the text."""
    return _ngettext(one, many, count) % {"n": count, **facts}


def N_(message: str) -> str:
    """Mark a text for the catalogues without saying it yet."""
    return message


def speak(app: Flask) -> None:
    """Give an app its languages."""
    babel = Babel(app, locale_selector=_choose)
    babel.domain_instance = Catalogues()
    app.jinja_env.install_gettext_callables(gettext=_gettext, ngettext=_ngettext, newstyle=True)  # type: ignore[attr-defined]
