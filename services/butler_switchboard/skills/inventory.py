"""The shipped skills: one file each, read once; a session gets its text as instructions (pure; SWB-26.1).

Invariant: a version names exactly one text, because it ends with a digest of it. So a session's records can be traced
to its instructions.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Final

__all__ = ["MESSAGE_TRIAGE", "RELATIONSHIP_EXTRACTOR", "Skill", "inventory", "skill"]

MESSAGE_TRIAGE: Final = "message-triage"
RELATIONSHIP_EXTRACTOR: Final = "relationship-extractor"
_NAMES: Final = (MESSAGE_TRIAGE, RELATIONSHIP_EXTRACTOR)
_FILE: Final = "SKILL.md"
_FENCE: Final = "---\n"


@dataclass(frozen=True, slots=True)
class Skill:
    """`description` states its purpose, `text` is a session's instructions; `revision` is raised by hand."""

    name: str
    description: str
    revision: int
    text: str

    @property
    def digest(self) -> str:
        """SHA-256 of the text, in hexadecimal digits."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def version(self) -> str:
        """The revision and the beginning of the digest."""
        return f"{self.revision}-{self.digest[:8]}"

    @property
    def label(self) -> str:
        """Name and version, as stored in a session's row and a decision."""
        return f"{self.name}-{self.version}"


@lru_cache(maxsize=len(_NAMES))
def skill(name: str) -> Skill:
    """Return a skill of the inventory. Raises `KeyError` for an unknown name."""
    if name not in _NAMES:
        raise KeyError(name)
    return _read(resources.files(__package__).joinpath(name, _FILE).read_text(encoding="utf-8"))


def inventory() -> tuple[Skill, ...]:
    """Return all skills, by name."""
    return tuple(skill(name) for name in _NAMES)


def _read(document: str) -> Skill:
    """Parse a file's heading (`name`, `description`, `version`, one per line between two fences) and text."""
    _, heading, text = document.split(_FENCE, 2)
    said = dict(line.split(": ", 1) for line in heading.splitlines())
    return Skill(said["name"], said["description"], int(said["version"]), text.strip())
