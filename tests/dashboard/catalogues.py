"""The dashboard's catalogues held against its sources: `python -m tests.dashboard.catalogues` writes what is new into
the .po files (untranslated), and drops what nobody says any more. The tests use the same list of sentences."""

from __future__ import annotations

import re
from functools import cache
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po
from naqala.dashboard.language import CATALOGUES, LANGUAGES

SOURCES = CATALOGUES.parent
METHODS = [("**.py", "python"), ("templates/**.html", "jinja2"), ("templates/**.svg", "jinja2")]
NEWSTYLE = {"newstyle_gettext": "true"}
OPTIONS = {"templates/**.html": NEWSTYLE, "templates/**.svg": NEWSTYLE}
KEYWORDS = {"_": None, "N_": None, "say": None, "say_n": (1, 2), "ngettext": (1, 2)}
TRANSLATED = [language for language in LANGUAGES if language != "en"]
NOT_OURS = ("Report-Msgid-Bugs-To", "Last-Translator", "Language-Team", "Generated-By", "POT-Creation-Date", "PO-Revision-Date")  # fmt: skip


@cache
def sentences() -> frozenset[str | tuple[str, str]]:
    """Everything the dashboard says; a pair where a number decides. Read once: it takes a second."""
    return frozenset(found[2] for found in extract_from_dir(SOURCES, METHODS, OPTIONS, KEYWORDS))


def path_of(language: str) -> Path:
    return CATALOGUES / f"{language}.po"


def catalogue(language: str) -> Catalog:
    with path_of(language).open("rb") as file:
        return read_po(file, locale=language)


def write(language: str, found: Catalog) -> None:
    text = BytesIO()
    write_po(text, found, sort_output=True, width=110, ignore_obsolete=True)
    head = "|".join(NOT_OURS)
    path_of(language).write_text(
        re.sub(rf'^"(?:{head}):.*\\n"\n', "", text.getvalue().decode(), flags=re.MULTILINE)
    )


def main() -> None:
    for language in TRANSLATED:
        template = Catalog(locale=language)
        for sentence in sentences():
            template.add(sentence)
        found = catalogue(language)
        found.update(template, no_fuzzy_matching=True)
        write(language, found)
        empty = [message.id for message in found if message.id and not all(_strings(message.string))]
        print(f"{language}: {len(found)} sentences, {len(empty)} without translation")


def _strings(text: str | tuple[str, ...] | list[str] | None) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text or ("",))


if __name__ == "__main__":
    main()
