"""The description of `/api` as an OpenAPI 3.1 document. A value: the addresses themselves are in `api`, and a test compares the two."""

from __future__ import annotations

from typing import Any

import naqala
from naqala.dashboard import taps
from naqala.dashboard.end import FILES
from naqala.dashboard.programs import SCOPES
from naqala.session.snapshot import OVER, PLAY, SETUP, WELCOME

LARGEST_NUMBER = 999_999_999
Json = dict[str, Any]

TEXT: Json = {"type": "string"}
NUMBER: Json = {"type": "integer"}
SEAT: Json = {
    "type": "object",
    "required": ["name", "colour"],
    "properties": {"name": TEXT, "colour": TEXT, "initial": TEXT},
}
STAGE: Json = {"type": "string", "enum": [WELCOME, SETUP, PLAY, OVER]}
HEALTH: Json = {
    "type": "object",
    "required": ["state"],
    "properties": {
        "state": TEXT,
        "silent": {"type": "array", "items": TEXT, "description": "tiles whose reader is silent"},
        "why": TEXT,
    },
}
SCHEMAS: Json = {
    "Error": {
        "type": "object",
        "required": ["error", "say"],
        "properties": {
            "error": {**TEXT, "description": "a word for programs"},
            "say": {**TEXT, "description": "a sentence for people"},
        },
    },
    "Tables": {
        "type": "object",
        "required": ["tables"],
        "properties": {
            "tables": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["table", "stage", "seats", "health"],
                    "properties": {
                        "table": TEXT,
                        "stage": STAGE,
                        "seats": {"type": "array", "items": SEAT},
                        "health": HEALTH,
                    },
                },
            }
        },
    },
    "State": {
        "type": "object",
        "description": "What the viewer may see. Further keys describe the game; they are those of the position and the reading "
        "(host/README.md).",
        "required": ["table", "version", "step", "stage", "seats", "health", "reading", "log", "log_lines"],
        "properties": {
            "table": TEXT,
            "version": {**NUMBER, "description": "rises with every change"},
            "step": {
                **NUMBER,
                "description": "rises with every entry of the journal; a tap is stamped with it",
            },
            "stage": STAGE,
            "me": {"type": ["string", "null"], "description": "the player whose secrets are shown"},
            "seats": {"type": "array", "items": SEAT},
            "health": HEALTH,
            "reading": {
                "type": ["object", "null"],
                "description": "what the referee sees: kind, breaches, remedy",
            },
            "turn": {"type": "object", "properties": {"player": {"type": ["string", "null"]}, "phase": TEXT}},
            "players": {"type": "array", "items": {"type": "object", "required": ["name"]}},
            "log": {"type": "array", "items": {"type": "object", "required": ["number", "kind"]}},
            "log_lines": {**NUMBER, "description": "how many lines there are; `before` asks for older ones"},
        },
    },
    "Choices": {
        "type": "object",
        "required": ["step", "player", "choices"],
        "properties": {
            "step": NUMBER,
            "player": TEXT,
            "choices": {"type": "array", "items": {"type": "object", "required": ["do", "action", "asks"]}},
        },
    },
    "Tap": {
        "type": "object",
        "required": ["step", "action"],
        "additionalProperties": False,
        "properties": {
            "step": {"type": "integer", "minimum": 0, "maximum": LARGEST_NUMBER},
            "action": {
                "type": "object",
                "required": ["do"],
                "description": "An action of the rules (host/naqala/rules/README.md); `player` is added.",
                "properties": {"do": {"type": "string", "enum": sorted(taps.TAPPED)}},
            },
        },
    },
    "Accepted": {
        "type": "object",
        "required": ["accepted", "step"],
        "properties": {"accepted": {"const": True}, "step": NUMBER},
    },
    "Games": {
        "type": "object",
        "required": ["games"],
        "properties": {
            "games": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["id", "began_ms", "ended_ms", "how", "players", "entries"],
                    "properties": {
                        "id": NUMBER,
                        "began_ms": {**NUMBER, "description": "since 1970"},
                        "ended_ms": NUMBER,
                        "how": {**TEXT, "description": "finished, aborted"},
                        "players": {"type": "array", "items": TEXT},
                        "entries": NUMBER,
                    },
                },
            }
        },
    },
}
ERRORS = {
    "400": "The request makes no sense.",
    "401": "There is no key, or it was revoked.",
    "403": "The key has not this scope.",
    "404": "There is no such table, game or file.",
    "409": "Refused: the table has moved on, or a rule is broken.",
    "413": "That is too large.",
    "415": "The body is not JSON.",
}
TABLE: Json = {"name": "table", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
GAME: Json = {
    "name": "game",
    "in": "path",
    "required": True,
    "schema": {"type": "integer", "minimum": 0, "maximum": LARGEST_NUMBER},
}
FILE: Json = {
    "name": "file",
    "in": "path",
    "required": True,
    "schema": {"type": "string", "enum": list(FILES)},
}


def before(what: str) -> Json:
    number = {"type": "integer", "minimum": 0, "maximum": LARGEST_NUMBER}
    return {"name": "before", "in": "query", "description": f"only {what} before this one", "schema": number}


def operation(
    name: str,
    summary: str,
    answer: str,
    errors: str,
    parameters: list[Json] | None = None,
    scope: str = "public",
) -> Json:
    """One address with one method."""
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{answer}"}}}
    failed = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    return {
        "operationId": name,
        "summary": summary,
        "description": f"Scope of the key: {scope}.",
        "security": [{"key": []}],
        "parameters": parameters or [],
        "responses": {
            "200": {"description": "Here it is.", "content": content},
            **{code: {"description": ERRORS[code], "content": failed} for code in errors.split()},
        },
    }


def _paths() -> Json:
    files = operation(
        "file", "An ended game for another program.", "State", "400 401 403 404", [TABLE, GAME, FILE]
    )
    files["responses"]["200"]["content"] = {
        "application/json": {"schema": {"type": "object"}},
        "text/csv": {"schema": TEXT},
        "text/plain": {"schema": TEXT},
    }
    tap = operation(
        "tap", "Act for the player of the key.", "Accepted", "400 401 403 404 409 413 415", [TABLE], "tell"
    )
    tap["requestBody"] = {
        "required": True,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Tap"}}},
    }
    described: Json = {
        "operationId": "described",
        "summary": "This description.",
        "security": [],
        "responses": {
            "200": {"description": "OpenAPI", "content": {"application/json": {"schema": {"type": "object"}}}}
        },
    }
    lines = [TABLE, before("lines of the log")]
    state = operation(
        "state",
        "What the key may see of a table.",
        "State",
        "400 401 403 404",
        lines,
        "public, or seat for its player",
    )
    choices = operation(
        "choices", "What the player of the key may do now.", "Choices", "401 403 404", [TABLE], "seat"
    )
    games = operation(
        "games", "Games that have ended, newest first.", "Games", "400 401 403 404", [TABLE, before("games")]
    )
    return {
        "/api/openapi.json": {"get": described},
        "/api/tables": {"get": operation("tables", "The tables of this house.", "Tables", "401 403")},
        "/api/tables/{table}/state": {"get": state},
        "/api/tables/{table}/choices": {"get": choices},
        "/api/tables/{table}/taps": {"post": tap},
        "/api/tables/{table}/games": {"get": games},
        "/api/tables/{table}/games/{game}/{file}": {"get": files},
    }


def document() -> Json:
    """The whole document."""
    scopes = ", ".join(SCOPES)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Naqala",
            "version": naqala.__version__,
            "description": "The tables of one house for other programs. The host makes keys on the page of the house, "
            f"with scopes: {scopes}.",
        },
        "paths": _paths(),
        "components": {
            "schemas": SCHEMAS,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }
