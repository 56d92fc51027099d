"""Removes from the mails of a chain what they repeat of earlier mails (SWB-03.9; pure).

Invariant: a line is removed only if an earlier mail or answer of the same chain has it; every other line stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from butler_kit.runtime.history import Earlier
from butler_switchboard.routing.rules.clean import own_ranges

__all__ = ["without_repeats"]


def without_repeats(chain: Sequence[Earlier]) -> tuple[Earlier, ...]:
    """Return the chain (newest first), each mail without the quoted lines that an older one has."""
    known: set[str] = set()
    kept: list[Earlier] = []
    for mail in reversed(chain):
        kept.append(replace(mail, said=_unrepeated(mail.said, known)))
        known |= {_bare(line) for text in (mail.said, mail.answered or "") for line in text.splitlines()}
    return tuple(reversed(kept))


def _unrepeated(text: str, known: Set[str]) -> str:
    subject = text.partition("\n")[0].removeprefix("Subject: ") if text.startswith("Subject: ") else None
    own = {start for start, _ in own_ranges(text, subject=subject)}
    shown = [line for start, line in _lines(text) if start in own or not line or _bare(line) not in known]
    return "\n".join(shown).strip()


def _lines(text: str) -> Iterator[tuple[int, str]]:
    position = 0
    for line in text.split("\n"):
        yield position, line
        position += len(line) + 1


def _bare(line: str) -> str:
    """Return the line as it was before it was quoted."""
    return line.strip("> \t\r").casefold()
