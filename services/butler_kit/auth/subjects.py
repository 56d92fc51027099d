"""Subject directories: a service-account token proves a subject, and roles come from here alone (D2, D3).

Invariant: no directory makes a subject Switchboard, and a subject that no directory knows is refused.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from butler_kit.auth.caller import ConnectorBinding, Role
from butler_kit.auth.files import WatchedFile
from butler_kit.time import Clock

__all__ = [
    "SUBJECT_PATTERN",
    "Standing",
    "SubjectDirectories",
    "SubjectDirectory",
    "SubjectsFile",
    "is_service_account",
    "parse_subjects",
]

SUBJECT_PATTERN: Final = (
    r"system:serviceaccount:[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?:[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?"
)
"""A service account's `sub`: its namespace and its name."""
_STATIC: Final = (Role.OPERATOR, Role.DASHBOARD)


@dataclass(frozen=True, slots=True)
class Standing:
    """The standing of a subject: a role, with a butler's own name or a connector's binding."""

    role: Role
    name: str | None = None
    connector: ConnectorBinding | None = None

    def __post_init__(self) -> None:
        if self.role is Role.SWITCHBOARD:
            raise ValueError("no directory makes a subject Switchboard")
        if (self.role is Role.BUTLER) != (self.name is not None):
            raise ValueError("a butler has a name, nobody else has")
        if (self.role is Role.CONNECTOR) != (self.connector is not None):
            raise ValueError("a connector has a binding, nobody else has")


class SubjectDirectory(Protocol):
    """Returns a subject's standing, None for an undeclared one; asked at every request, so from memory."""

    def find(self, subject: str) -> Standing | None: ...


class SubjectsFile:
    """The subjects of a file: `{"subjects": {"SUB": {"role": "operator" | "dashboard"}}}`, reloaded when it changes.

    Raises `KeyFileError` when it cannot be read at the start.
    """

    def __init__(self, path: Path, clock: Clock) -> None:
        self._file = WatchedFile(path, parse_subjects, clock=clock)

    def find(self, subject: str) -> Standing | None:
        """Return the subject's standing in the newest good file."""
        return self._file.get().get(subject)


class SubjectDirectories:
    """Several directories as one; the first that knows a subject decides."""

    def __init__(self, *directories: SubjectDirectory) -> None:
        self._directories = directories

    def find(self, subject: str) -> Standing | None:
        """Return the first standing found."""
        for directory in self._directories:
            if (found := directory.find(subject)) is not None:
                return found
        return None


def is_service_account(subject: str) -> bool:
    """Return whether a subject is spelled like that of a service account."""
    return re.fullmatch(SUBJECT_PATTERN, subject) is not None


def parse_subjects(content: bytes) -> dict[str, Standing]:
    """Read a subjects file; `ValueError` for anything else, so a typo never makes or ends an operator."""
    try:
        document: Any = json.loads(content)
    except (ValueError, RecursionError):
        raise ValueError("is not JSON") from None
    if not isinstance(document, dict) or set(document) != {"subjects"}:
        raise ValueError("is not a document with the one member subjects")
    subjects = document["subjects"]
    if not isinstance(subjects, dict):
        raise ValueError("has subjects that are not a table")
    return {subject: _standing(subject, entry) for subject, entry in subjects.items()}


def _standing(subject: str, entry: Any) -> Standing:
    if not is_service_account(subject):
        raise ValueError(
            f"has the subject '{subject[:200]}', which is not system:serviceaccount:NAMESPACE:NAME"
        )
    role = entry.get("role") if isinstance(entry, dict) and set(entry) == {"role"} else None
    if role not in _STATIC:
        raise ValueError(f"gives '{subject}' no role of {' or '.join(_STATIC)}")
    return Standing(Role(role))
