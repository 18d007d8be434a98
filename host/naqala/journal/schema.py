"""The tables of the journal, and the triggers that keep them append-only, in both databases."""

from __future__ import annotations

import sqlalchemy as sql

SCHEMA = 1

metadata = sql.MetaData()
about = sql.Table("about", metadata, sql.Column("schema", sql.Integer, primary_key=True))
games = sql.Table(
    "games",
    metadata,
    sql.Column("id", sql.Integer, primary_key=True),
    sql.Column("at", sql.BigInteger, nullable=False),
    sql.Column("table_name", sql.Text, nullable=False),
    sql.Column("opening", sql.Text, nullable=False),
    sql.Column("digest", sql.Text, nullable=False),
)
entries = sql.Table(
    "entries",
    metadata,
    sql.Column("game", sql.ForeignKey("games.id"), primary_key=True),
    sql.Column("number", sql.Integer, primary_key=True),
    sql.Column("at", sql.BigInteger, nullable=False),
    sql.Column("kind", sql.Text, nullable=False),
    sql.Column("author", sql.Text, nullable=False),
    sql.Column("body", sql.Text, nullable=False),
    sql.Column("digest", sql.Text, nullable=False),
)
# What became of a game: ended, taken up again (`how` is empty), ended again. The last row counts.
endings = sql.Table(
    "endings",
    metadata,
    sql.Column("id", sql.Integer, primary_key=True),
    sql.Column("game", sql.ForeignKey("games.id"), nullable=False, index=True),
    sql.Column("at", sql.BigInteger, nullable=False),
    sql.Column("how", sql.Text, nullable=False),
)
lines = sql.Table(
    "lines",
    metadata,
    sql.Column("id", sql.Integer, primary_key=True),
    sql.Column("game", sql.ForeignKey("games.id"), nullable=False, index=True),
    sql.Column("at", sql.BigInteger, nullable=False),
    sql.Column("text", sql.Text, nullable=False),
)

APPEND_ONLY = {
    "sqlite": """CREATE TRIGGER {table}_{verb} BEFORE {verb} ON {table}
                 BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END""",
    "postgresql": """CREATE TRIGGER {table}_{verb} BEFORE {verb} ON {table} EXECUTE FUNCTION naqala_append_only()""",
}
APPEND_ONLY_FUNCTION = """CREATE OR REPLACE FUNCTION naqala_append_only() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'the journal is append-only'; END $$"""
