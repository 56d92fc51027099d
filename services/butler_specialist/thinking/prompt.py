"""What a model reads: the instructions, and the message with its context as fenced data (pure; SWB-04.1).

Invariant: the instructions contain nothing written outside, and everything from outside stands between two lines
whose boundary its author cannot know. The sender is not named. A schedule's task comes from the manifest, as
instructions do.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from importlib import resources
from typing import Any, Final

from butler_contracts.memory import SharedMemory
from butler_contracts.route import PartResultV1
from butler_kit.runtime.fence import fence
from butler_kit.runtime.history import NO_HISTORY, OURS, History
from butler_specialist.profiles.profile import Profile
from butler_specialist.store.earlier import Earlier
from butler_specialist.thinking.drafts import shown

__all__ = ["Before", "Texts", "before", "payload", "prompt_version", "system_text", "task_payload"]

_MOST_RECENT: Final = 5
_JUST_NOW: Final = timedelta(minutes=30)
_BEFORE: Final = (
    "What was said before in this conversation, only to understand the message by: a JSON object a line, the oldest"
    f' first, "{OURS}" for what you answered:'
)
_SHARED: Final = (
    "What the writer told other butlers about themselves, to be minded in the answer and never recorded: a JSON object"
    " a line, the newest first:"
)
_MOST_SHARED: Final = 1_600


@dataclass(frozen=True, slots=True)
class Before:
    """The context of a message: the message whose answer was a question, and what was told just before."""

    text: str = ""
    question: str = ""
    recent: tuple[str, ...] = ()


NOTHING: Final = Before()


@dataclass(frozen=True, slots=True)
class Texts:
    """The instructions of a session on a message, and of one on a schedule's task."""

    message: str
    task: str

    @classmethod
    def of(cls, profile: Profile, **told: Any) -> Texts:
        """See `system_text`."""
        message, task = (system_text(profile, task=task, **told) for task in (False, True))
        return cls(message, task)


@lru_cache(maxsize=3)
def _file(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8").strip()


def system_text(
    profile: Profile,
    *,
    servers: Sequence[str] = (),
    instructions: str | None = None,
    books: bool = False,
    task: bool = False,
) -> str:
    """Return the instructions: the common ones, how to use tools of `servers`, the profile's, the manifest's own.

    `books`: appointments go into the calendar by themselves, which a session must not do too. `task`: the session
    has a schedule's task instead of a message.
    """
    common = _file("task.md" if task else "common.md")
    booking = [_file("calendar.md")] if books else []
    parts = [common, *_of_outside(servers), *booking, profile.prompt.strip()]
    return "\n\n".join([*parts, *([instructions.strip()] if instructions else [])]) + "\n"


def _of_outside(servers: Sequence[str]) -> list[str]:
    if not servers:
        return []
    return [_file("outside.md").replace("{servers}", ", ".join(f"`{name}_…`" for name in servers))]


def prompt_version(
    profile: Profile,
    *,
    servers: Sequence[str] = (),
    instructions: str | None = None,
    books: bool = False,
    task: bool = False,
) -> str:
    """Return a name of the exact instructions, so that a record can be traced to them."""
    text = system_text(profile, servers=servers, instructions=instructions, books=books, task=task)
    return f"{profile.name}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def before(earlier: Sequence[Earlier], moment: datetime) -> Before:
    """Return what the thread's last answer left open, and the entries that the last message told."""
    last = next((one for one in earlier if one.in_thread), None)
    if last is None or not last.fresh:
        return NOTHING
    asked = last.question if last.question is not None and last.question.shown == "open" else None
    told = last.told if moment - last.ended_at <= _JUST_NOW else ()
    recent = [json.dumps(shown(row), ensure_ascii=False) for row in told if not row.withdrawn]
    return Before(
        last.text if asked is not None else "",
        asked.text if asked is not None else "",
        tuple(recent[:_MOST_RECENT]),
    )


def payload(
    text: str,
    moment: datetime,
    currency: str,
    known: Before,
    *,
    boundary: str,
    results: Sequence[PartResultV1] = (),
    history: History = NO_HISTORY,
    away: Sequence[str] = (),
    shared: Sequence[SharedMemory] = (),
) -> str:
    """Return a session's only user prompt.

    `moment` is in the sender's zone, `away` are unavailable servers. `shared` is what other butlers were told by the
    writer, as far as it fits.
    """
    parts = _circumstances(moment, currency, away)
    if shared:
        parts += [_SHARED, fence(_shared_lines(shared), boundary=boundary)]
    if history.text:
        parts += [_BEFORE, fence(history.text, boundary=boundary)]
    if results:
        parts += ["The writer's message had other parts, done by other butlers. How those ended:"]
        parts += [fence("\n".join(one.model_dump_json() for one in results), boundary=boundary)]
    if known.recent:
        parts += ["Recorded a moment ago, from the writer's last message:"]
        parts += [fence("\n".join(known.recent), boundary=boundary)]
    if known.question:
        parts += ["The writer said before:", fence(known.text, boundary=boundary)]
        parts += ["You asked:", fence(known.question, boundary=boundary)]
        parts += ["The message, which answers that or begins something else:"]
    else:
        parts += ["The message:"]
    return "\n".join([*parts, fence(text, boundary=boundary)])


def _shared_lines(shared: Sequence[SharedMemory]) -> str:
    lines, room = list[str](), _MOST_SHARED
    for one in shared:
        said = {"said": one.statement, "on": f"{one.said_at:%Y-%m-%d}", "to": one.butler}
        line = json.dumps(said, ensure_ascii=False)
        room -= len(line)
        if room < 0:
            break
        lines.append(line)
    return "\n".join(lines)


def task_payload(text: str, moment: datetime, currency: str, *, away: Sequence[str] = ()) -> str:
    """Return the only user prompt of a scheduled task; `moment` is when it was due."""
    return "\n".join(
        [*_circumstances(moment, currency, away), "The task, by the household's own schedule:", text]
    )


def _circumstances(moment: datetime, currency: str, away: Sequence[str]) -> list[str]:
    money = f" Sums without a currency are {currency}." if currency else ""
    parts = [f"It is {moment:%A}, {moment:%Y-%m-%d %H:%M} ({moment.tzinfo}).{money}"]
    if away:
        parts += [
            f"Cannot be reached now, with none of its tools: {', '.join(away)}. Say so where it is asked for."
        ]
    return parts
