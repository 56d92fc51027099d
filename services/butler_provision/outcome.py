"""The results of a run: the service's URL in a private file, a line of JSON where Kubernetes looks for it."""

from __future__ import annotations

import json
import os
from enum import IntEnum
from pathlib import Path
from typing import Any, Final

from butler_provision.prepare import Prepared

__all__ = ["Exit", "failed", "prepared", "write_private", "write_termination_message"]

MESSAGE_MAX: Final = 1_500
TERMINATION_MAX_BYTES: Final = 4_096
"""The kubelet keeps no more of a termination message."""


class Exit(IntEnum):
    """The exit codes; their names in CamelCase are the reasons of the termination message."""

    DONE = 0
    FAILED = 1
    BAD_CONFIGURATION = 2
    DATABASE_UNREACHABLE = 3
    DATABASE_REFUSED = 4
    MIGRATION_FAILED = 5

    @property
    def reason(self) -> str:
        return "".join(word.capitalize() for word in self.name.split("_"))


def prepared(result: Prepared) -> dict[str, Any]:
    """Return the termination message of a successful run."""
    message: dict[str, Any] = {"role_isolation": result.role_isolation, "applied": list(result.applied)}
    if result.open_to_all:
        message["open_to_all"] = True
    if result.departed:
        message["departed"] = dict(result.departed)
    if len(_line(message)) >= TERMINATION_MAX_BYTES:
        message["applied"] = [f"{len(result.applied)} migrations"]
    return message


def failed(code: Exit, text: str) -> dict[str, Any]:
    """Return the termination message of a failed run."""
    return {"reason": code.reason, "error": text[:MESSAGE_MAX]}


def write_termination_message(path: Path, message: dict[str, Any]) -> None:
    """Write in place: the kubelet made the file and looks at that one only."""
    path.write_bytes(_line(message))


def _line(message: dict[str, Any]) -> bytes:
    return (json.dumps(message, ensure_ascii=False) + "\n").encode()


def write_private(path: Path, text: str) -> None:
    """Put `text` into a file that only its owner reads; a concurrent reader sees the old text or the new."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ".unfinished")
    unfinished.unlink(missing_ok=True)
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
    unfinished.replace(path)
