"""What is kept of the words of a session, where the household's owner wants it (D62): pure.

Invariants: each text is searched for secrets as a whole before it is kept, and of what a model read as of what it wrote
at most `TEXT_BYTES` are kept, with a mark where something is left out. The instructions are no part of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from butler_contracts.text import storable
from butler_kit.config.secrets import without_secrets

__all__ = ["CUT", "TEXT_BYTES", "UNRECORDED", "Recorder", "Transcript", "Unrecorded"]

TEXT_BYTES: Final = 64_000
"""The most bytes (UTF-8) of a kept text, the mark included."""
CUT: Final = "\n… (the rest is not kept)"
_BETWEEN: Final = "\n\n"


@dataclass(frozen=True)
class Transcript:
    """What a session's model read besides its instructions, and what it wrote besides its calls.

    `person` is the contact for whom the session ran.
    """

    prompt: str
    output: str
    person: UUID | None = None


class Unrecorded:
    """Takes what a session reads and writes, and keeps nothing."""

    def asked(self, prompt: str) -> None:
        """Take what a model is asked; another one in its place is asked the same."""

    def told(self, tool: str, text: str) -> None:
        """Take what a model reads of a call."""

    def wrote(self, text: str) -> None:
        """Take what a model writes besides its calls."""

    def transcript(self) -> Transcript | None:
        """Return what is kept; None if no model was asked."""
        return None


class Recorder(Unrecorded):
    """Keeps it, without secrets and bounded."""

    def __init__(self, person: UUID | None = None) -> None:
        self._person = person
        self._prompt = _Bounded()
        self._output = _Bounded()

    def asked(self, prompt: str) -> None:
        if self._prompt.empty:
            self._prompt.add(prompt)

    def told(self, tool: str, text: str) -> None:
        self._prompt.add(f"{tool}:\n{text}")

    def wrote(self, text: str) -> None:
        if text.strip():
            self._output.add(text)

    def transcript(self) -> Transcript | None:
        if self._prompt.empty:
            return None
        return Transcript(self._prompt.text, self._output.text, self._person)


UNRECORDED: Final = Unrecorded()


class _Bounded:
    """Texts one after another; nothing is added after the one that was cut."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._left = TEXT_BYTES - len(CUT.encode())
        self._cut = False

    @property
    def empty(self) -> bool:
        return not self._parts

    @property
    def text(self) -> str:
        return "".join(self._parts) + (CUT if self._cut else "")

    def add(self, text: str) -> None:
        if self._cut:
            return
        part = (_BETWEEN if self._parts else "") + without_secrets(storable(text))
        written = part.encode()
        if len(written) > self._left:
            part, self._cut = written[: self._left].decode(errors="ignore"), True
        self._left -= len(written)
        self._parts.append(part)
