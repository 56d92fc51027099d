"""PURE: the text in place of a file, and the lines about a message's files before it is sent (ADR 0103)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from butler_contracts.attachments import shown
from butler_contracts.language import Language
from butler_messenger.attachments.decisions import Kind
from butler_messenger.locale import noop, say

__all__ = ["file_lines", "instead_of"]

_INSTEAD: Final[Mapping[Kind, str]] = {
    "changed": noop("I could not attach “{name}”: the file is not the one that was announced."),
    "gone": noop("I could not attach “{name}”: the file is no longer there."),
    "refused": noop("I could not attach “{name}”: I was not given the file."),
    "away": noop("I could not attach “{name}”: the place where it is kept could not be reached."),
    "channel": noop("I could not attach “{name}”: it is not taken here, for its size or its kind."),
}


def instead_of(language: Language, kind: Kind, name: str) -> str:
    """Return the sentence in place of a file."""
    return say(language, _INSTEAD[kind], name=name)


def file_lines(language: Language, attachments: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a line per file for the person who decides: name, size, media type, server and digest."""
    line = noop("File: {name} ({size} bytes, {media_type}, from {host}) {digest}")
    files = [shown(one) for one in attachments]
    return [
        say(
            language,
            line,
            name=one["name"],
            size=f"{one['size_bytes']:,}",
            media_type=one["media_type"],
            host=one["from"],
            digest=one["digest"],
        )
        for one in files
    ]
