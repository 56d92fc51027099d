"""Which reminders respect the household's quiet hours, and what is said about it (pure, D66).

Invariant: a named hour is kept, whatever it is; only an unnamed one waits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from zoneinfo import ZoneInfo

from butler_contracts.language import Language
from butler_contracts.quiet_hours import QuietHours
from butler_kit.wording.folding import fold
from butler_specialist.locale import noop, say
from butler_specialist.store.model import ReminderDraft
from butler_specialist.understanding.reminders import ReminderAsked

__all__ = ["can_wait", "quiet_text"]

_URGENT: Final = re.compile(
    r"\b(?:urgent\w*|asap|emergency|dringend\w*|eilig|unbedingt|urgente\w*|urgence|urgencia)\b"
)
_ELAPSED: Final = ("FREQ=HOURLY", "FREQ=MINUTELY")


def can_wait(asked: ReminderAsked) -> bool:
    """Return whether its hour is our choice or any ("every eight hours"), and it is not urgent."""
    if _URGENT.search(fold(asked.text)):
        return False
    return asked.assumed == "hour" or (asked.rule or "").startswith(_ELAPSED)


def quiet_text(drafts: Sequence[ReminderDraft], quiet: QuietHours | None, language: Language) -> list[str]:
    """Say that the quiet hours are respected, if one of the drafts falls into them."""
    if quiet is None or not any(_waits(one, quiet) for one in drafts):
        return []
    said = noop("What falls between {start} and {end} I tell you at {end}, the end of the quiet hours.")
    return [say(language, said, start=f"{quiet.start:%H:%M}", end=f"{quiet.end:%H:%M}")]


def _waits(draft: ReminderDraft, quiet: QuietHours) -> bool:
    if not draft.can_wait:
        return False
    elapsed = (draft.rule or "").startswith(_ELAPSED)
    return elapsed or quiet.told_at(draft.due_at, ZoneInfo(draft.zone)) != draft.due_at
