"""The history of a message's thread, as a model reads it beside that message (SWB-03.8, SWB-03.9; pure).

Invariants: one utterance per line, as JSON, so that nobody's text looks like another's; the newest stay where not all
fits (D24, D25); only the last version of an edited message is included. It is untrusted data like the message itself.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from butler_kit.runtime.tokens import TokenCounter

__all__ = [
    "MOST_BYTES",
    "MOST_LINES",
    "NO_HISTORY",
    "OURS",
    "Bounds",
    "Earlier",
    "History",
    "history_of",
]

MOST_LINES: Final = 200
MOST_BYTES: Final = 64_000
"""The limit of a chat's history, whatever its settings are (D24)."""
OURS: Final = "butlers"
"""The speaker of the household's own answers."""
_LEAST_CUT: Final = 40
"""A shorter beginning of a text, in characters, is not worth keeping."""
_CUT: Final = "…"
_MINUTE: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits: of a chat the last `messages` or `minutes`, whichever is more; in any case at most `tokens`."""

    messages: int = 30
    minutes: int = 15
    tokens: int = 50_000


@dataclass(frozen=True, slots=True)
class Earlier:
    """An earlier message of the thread, and the household's answer to it.

    `ago` is None if it is unknown: the message was read from a mailbox's past. `message` is shared by its versions.
    """

    speaker: str
    said: str
    answered: str | None = None
    ago: timedelta | None = None
    message: str | None = None
    household: bool = True


@dataclass(frozen=True, slots=True)
class History:
    """`text` is what a model reads, oldest first, one JSON object per line; the flags say who speaks in it."""

    text: str = ""
    lines: int = 0
    tokens: int = 0
    counted_by: str = ""
    household: bool = False
    others: bool = False

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags that record it with the session."""
        if not self.lines:
            return ()
        return (f"history:{self.lines}", f"history_tokens:{self.tokens}", f"counted_by:{self.counted_by}")


NO_HISTORY: Final = History()


def history_of(
    earlier: Sequence[Earlier], *, most_tokens: int, counter: TokenCounter, most_bytes: int | None = None
) -> History:
    """Return as much of `earlier` (newest first) as fits; `most_bytes` None: the tokens alone bound it."""
    room = _Room(most_tokens, most_bytes, counter)
    lines: list[str] = []
    given: list[Earlier] = []
    for one, line in _utterances(_last_versions(earlier)):
        fitting = room.taken(line) if len(lines) < MOST_LINES else None
        if fitting is None:
            break
        lines.append(fitting)
        given.append(one)
        if room.full:
            break
    return History(
        "\n".join(reversed(lines)),
        len(lines),
        room.tokens,
        counter.method,
        household=any(one.household for one in given),
        others=any(not one.household for one in given),
    )


@dataclass(frozen=True, slots=True)
class _Line:
    speaker: str
    text: str
    ago: timedelta | None

    def __str__(self) -> str:
        minutes = {} if self.ago is None else {"minutes_before": max(0, self.ago // _MINUTE)}
        return json.dumps({"from": self.speaker, **minutes, "text": self.text}, ensure_ascii=False)

    def cut(self, length: int) -> _Line:
        return _Line(self.speaker, self.text[:length] + _CUT, self.ago)


class _Room:
    """The room that is left within the bounds."""

    def __init__(self, tokens: int, most_bytes: int | None, counter: TokenCounter) -> None:
        self._most_tokens = tokens
        self._bytes = tokens * counter.most_bytes if most_bytes is None else most_bytes
        self._counter = counter
        self.tokens = 0
        self.full = False

    def taken(self, line: _Line) -> str | None:
        """Return the line, or as much of its beginning as fits, filling the room; None if nothing fits."""
        if self._fits(line):
            return self._take(str(line))
        self.full = True
        most = bisect_right(range(len(line.text)), False, key=lambda length: not self._fits(line.cut(length)))
        return self._take(str(line.cut(most - 1))) if most > _LEAST_CUT else None

    def _fits(self, line: _Line) -> bool:
        shown = f"{line}\n"
        if len(shown.encode("utf-8", "replace")) > self._bytes:
            return False
        return self.tokens + self._counter.count(shown) <= self._most_tokens

    def _take(self, shown: str) -> str:
        self._bytes -= len(shown.encode("utf-8", "replace")) + 1
        self.tokens += self._counter.count(f"{shown}\n")
        return shown


def _last_versions(earlier: Iterable[Earlier]) -> Iterator[Earlier]:
    seen: set[str] = set()
    for one in earlier:
        if one.message is None or one.message not in seen:
            yield one
        if one.message is not None:
            seen.add(one.message)


def _utterances(earlier: Iterable[Earlier]) -> Iterator[tuple[Earlier, _Line]]:
    """Yield newest first, so an answer before the message it answers."""
    for one in earlier:
        if one.answered and one.answered.strip():
            yield one, _Line(OURS, one.answered, one.ago)
        if one.said.strip():
            yield one, _Line(one.speaker, one.said, one.ago)
