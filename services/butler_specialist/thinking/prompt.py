"""What a model reads: the instructions, and the message with what it goes on with as fenced data (pure; SWB-04.1).

Invariant: nothing that was written outside is in the instructions, and everything of it stands between two lines whose
boundary its author cannot know. Who wrote is not said.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from importlib import resources
from typing import Final

from butler_contracts.route import PartResultV1
from butler_kit.runtime.fence import fence
from butler_kit.runtime.history import NO_HISTORY, OURS, History
from butler_specialist.profiles.profile import Profile
from butler_specialist.store.earlier import Earlier
from butler_specialist.thinking.drafts import shown

__all__ = ["Before", "before", "payload", "prompt_version", "system_text"]

_MOST_RECENT: Final = 5
_JUST_NOW: Final = timedelta(minutes=30)
_BEFORE: Final = (
    "What was said before in this conversation, only to understand the message by: a JSON object a line, the oldest"
    f' first, "{OURS}" for what you answered:'
)


@dataclass(frozen=True, slots=True)
class Before:
    """What a message may go on with: the message whose answer was a question, and what was told just before."""

    text: str = ""
    question: str = ""
    recent: tuple[str, ...] = ()


NOTHING: Final = Before()


@lru_cache(maxsize=1)
def _common() -> str:
    return resources.files(__package__).joinpath("common.md").read_text(encoding="utf-8").strip()


def system_text(profile: Profile) -> str:
    """The instructions: those of every butler, then the profile's own."""
    return f"{_common()}\n\n{profile.prompt.strip()}\n"


def prompt_version(profile: Profile) -> str:
    """Names the exact instructions, so that a record can be traced to them."""
    return f"{profile.name}-{hashlib.sha256(system_text(profile).encode()).hexdigest()[:12]}"


def before(earlier: Sequence[Earlier], moment: datetime) -> Before:
    """What the last answer of the thread left open, and the entries that the last message told."""
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
) -> str:
    """The only user prompt of a session; `moment` is in the writer's zone."""
    money = f" Sums without a currency are {currency}." if currency else ""
    parts = [f"It is {moment:%A}, {moment:%Y-%m-%d %H:%M} ({moment.tzinfo}).{money}"]
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
