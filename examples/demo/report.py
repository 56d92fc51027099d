"""What the demo prints and keeps: a line per message and answer, the summary file, and what did not end as expected."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from examples.demo.watching import Finished

__all__ = ["differences", "line", "summary", "write_summary"]

TEXT_CHARS = 46
REPLY_CHARS = 100


def line(end: Finished) -> str:
    """Return source, text, butlers, replies and seconds, for people to read, and below it what was answered."""
    shown = _cut(end.text, TEXT_CHARS)
    butlers = ", ".join(end.butlers) or "recorded"
    told = _told(end)
    first = (
        f"{end.sent.message.channel:<8} {shown:<{TEXT_CHARS}}  {butlers:<24} {told:<22} {end.seconds:5.1f} s"
    )
    answers = (*end.replies, *(f"to the owner: {note}" for note in end.notes))
    return "\n".join([first, *(f"         ↳ {_cut(answer, REPLY_CHARS)}" for answer in answers)])


def _cut(text: str, most: int) -> str:
    said = " ".join(text.split())
    return said if len(said) <= most else said[: most - 1] + "…"


def _told(end: Finished) -> str:
    parts = []
    if end.replies:
        parts.append(f"{len(end.replies)} repl{'y' if len(end.replies) == 1 else 'ies'}")
    if end.notes:
        parts.append(f"owner told {len(end.notes)}x")
    return ", ".join(parts) or "nobody told"


def differences(ends: Sequence[Finished]) -> list[str]:
    """Return where a message did not end as a person would expect; readable, one line each."""
    by_id = {end.sent.message.id: end for end in ends}
    found: list[str] = []
    for end in ends:
        message = end.sent.message
        if not message.accepts(end.butlers):
            found.append(f"{message.id}: went to {list(end.butlers)}, expected {list(message.butlers)}")
        if message.duplicate_of and by_id[message.duplicate_of].request_id != end.request_id:
            found.append(f"{message.id}: is a second request, expected the one of {message.duplicate_of}")
        if end.state == "errored":
            found.append(f"{message.id}: ended in an error")
        found += _reply_differences(end)
    return found


def _reply_differences(end: Finished) -> list[str]:
    message = end.sent.message
    expected = {"yes": (True, False), "owner-note": (False, True), "none": (False, False)}[message.reply]
    got = (bool(end.replies), bool(end.notes))
    if not message.butlers and not end.butlers:
        expected = (False, False)
    if got == expected:
        return []
    return [f"{message.id}: replied {got[0]}, owner told {got[1]}; expected {message.reply}"]


def summary(ends: Sequence[Finished], *, dashboard: str | None) -> dict[str, Any]:
    """Return the document that scripts read (`.butlers/demo/summary.json`)."""
    return {
        "requests": [
            {
                "request_id": end.request_id,
                "source": f"{end.sent.message.channel}:{end.sent.message.id}",
                "text": end.text,
                "butlers": list(end.butlers),
                "replies": [*end.replies, *end.notes],
                "seconds": round(end.seconds, 3),
                "state": end.state,
            }
            for end in ends
        ],
        "dashboard": dashboard,
    }


def write_summary(ends: Sequence[Finished], path: Path, *, dashboard: str | None) -> None:
    document = summary(ends, dashboard=dashboard)
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
