"""The table of the session's tests, for tests of the whole service."""

from tests.session.conftest import table

__all__ = ("table",)
