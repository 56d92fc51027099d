"""Refusals of callers: part of the one error taxonomy, and never carrying the token they refuse (D2)."""

from __future__ import annotations

from typing import Any

from butler_contracts.errors import ValidationFailed

__all__ = ["Forbidden", "KeyFileError", "Unauthenticated"]


class Unauthenticated(ValidationFailed):
    """The caller did not prove who it is (HTTP 401); the message says what was wrong with the token."""


class Forbidden(ValidationFailed):
    """The caller is known and may not do this (HTTP 403, or a `validation_error` of a tool).

    `details.reason` is `forbidden`, so that a connector can tell a refusal of itself from one of its message.
    """

    def __init__(self, message: str, **more: Any) -> None:
        super().__init__(message, **more)
        self.details.setdefault("reason", "forbidden")


class KeyFileError(Exception):
    """A key, token or deny-list file that cannot be used; names the file and what to do."""
