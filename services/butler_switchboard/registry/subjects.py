"""Which service account is which caller, as declared: the decision, and the in-memory copy that answers (D2, D3).

Invariants: one subject speaks for one caller and a caller has one subject; another subject replaces it only after the
first was undeclared. The copy is at most `REFRESH_S` old; an unknown subject makes it read again, at most once in
`QUIET_S`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from butler_contracts.errors import Conflict, ValidationFailed
from butler_kit.auth import ConnectorBinding, Role, Standing

__all__ = ["AlreadyBound", "Binding", "DeclaredSubjects", "NotBound", "binds", "refresh_in"]

REFRESH_S: Final = 5.0
QUIET_S: Final = 1.0


class AlreadyBound(Conflict):
    """The subject or the caller is already bound to another one (HTTP 409)."""


class NotBound(ValidationFailed):
    """The caller is bound to another subject than the one that was named (HTTP 404)."""


@dataclass(frozen=True, slots=True)
class Binding:
    """One declared subject: a butler by its name, or a connector by its source and highest tier."""

    subject: str
    butler: str | None = None
    connector: ConnectorBinding | None = None

    @property
    def source(self) -> tuple[str, str] | None:
        """The connector's identity."""
        of = self.connector
        return (of.connector_type, of.endpoint_identity) if of is not None else None

    @property
    def caller(self) -> str:
        """The caller that the subject speaks for, in words."""
        if self.source is None:
            return f"butler '{self.butler}'"
        kind, endpoint = self.source
        return f"{kind} connector '{endpoint}'"

    @property
    def standing(self) -> Standing:
        if self.connector is not None:
            return Standing(Role.CONNECTOR, connector=self.connector)
        return Standing(Role.BUTLER, name=self.butler)


def binds(wanted: Binding, known: Iterable[Binding]) -> bool:
    """Return whether `wanted` has to be written, given the bindings of its subject and of its caller.

    Raises `AlreadyBound` if the subject speaks for another caller, or another subject for the caller.
    """
    changes = True
    for other in known:
        if other.caller != wanted.caller:
            raise AlreadyBound(
                f"the subject '{wanted.subject}' speaks for {other.caller}; "
                f"undeclare that before it speaks for {wanted.caller}"
            )
        if other.subject != wanted.subject:
            raise AlreadyBound(
                f"{wanted.caller} is declared with the subject '{other.subject}'; "
                f"undeclare it before '{wanted.subject}' takes its place"
            )
        changes = other != wanted
    return changes


def refresh_in(age_s: float, *, asked: bool) -> float:
    """Return the seconds until a copy `age_s` old is read again; `asked` if it did not know a subject."""
    return max(0.0, (QUIET_S if asked else REFRESH_S) - age_s)


class DeclaredSubjects:
    """The copy that the verifier consults at every request; an unknown subject sets `asked`."""

    def __init__(self) -> None:
        self._known: Mapping[str, Standing] = {}
        self.asked = asyncio.Event()

    def find(self, subject: str) -> Standing | None:
        """Return what the subject was declared to be, or None."""
        found = self._known.get(subject)
        if found is None:
            self.asked.set()
        return found

    def replace(self, bindings: Iterable[Binding]) -> None:
        """Replace the copy with a newer one."""
        self._known = {binding.subject: binding.standing for binding in bindings}
