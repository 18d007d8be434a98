"""What can go wrong with a journal. Each error's text is a sentence for people: what happened and what to do."""

from __future__ import annotations


class JournalError(Exception):
    """The journal cannot do what was asked. Nothing is half written: an entry is there whole or not at all."""


class JournalFull(JournalError):
    """The disk takes no more. Once there is room the same entry may be appended again."""


class JournalReadOnly(JournalError):
    """The file or its folder cannot be written."""


class JournalDamaged(JournalError):
    """What is stored is not what was written."""


class JournalBusy(JournalError):
    """Another process keeps this table's games."""


class JournalUnreachable(JournalError):
    """The database does not answer. Once it does the same entry may be appended again."""


class NoSuchGame(JournalError):
    """There is no game of this number."""


class JournalTooNew(JournalError):
    """Written by a newer Naqala."""


class JournalConflict(JournalError):
    """An entry with this number is there already, or the ones before it are not."""
