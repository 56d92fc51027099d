"""PURE: the actions under a reminder, and what a press means (ADR 0041).

An action's id names the reminder and the occurrence that was told, so that last week's answers nothing today.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final, Literal
from uuid import UUID

from butler_contracts.actions import ActionV1, id_of, short_id
from butler_contracts.language import LANGUAGES, Language
from butler_kit.wording.answers import answer_in
from butler_kit.wording.folding import fold
from butler_specialist.locale import noop, say

__all__ = ["PUT_OFF", "Verb", "Wanted", "actions_of", "language_of_label", "wanted_by", "wanted_in_words"]

Verb = Literal["done", "10m", "1h"]
PUT_OFF: Final[Mapping[Verb, timedelta]] = {"10m": timedelta(minutes=10), "1h": timedelta(hours=1)}
"""How long after the press it comes again."""
_LABELS: Final[Mapping[Verb, str]] = {
    "done": noop("Done"),
    "10m": noop("In 10 minutes"),
    "1h": noop("In an hour"),
}
_ID: Final = re.compile(r"(done|10m|1h)\.([A-Za-z0-9_-]{22})\.([0-9a-f]{1,9})")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a press asks for: the reminder, and which of its occurrences (whole seconds, UTC).

    `put_off` is the delay, if words named a time that is on no button.
    """

    verb: Verb
    reminder_id: UUID
    due_at: datetime
    put_off: timedelta | None = None


def actions_of(reminder_id: UUID, due_at: datetime, language: Language) -> tuple[ActionV1, ...]:
    """Return the actions under the telling of one occurrence."""
    named = f"{short_id(reminder_id)}.{int(due_at.timestamp()):x}"
    return tuple(
        ActionV1(id=f"{verb}.{named}", label=say(language, label)) for verb, label in _LABELS.items()
    )


def wanted_by(action: str) -> Wanted | None:
    """Return the meaning of an action; None for one that no reminder offers."""
    found = _ID.fullmatch(action)
    reminder_id = id_of(found[2]) if found is not None else None
    if found is None or reminder_id is None:
        return None
    verb: Verb = next(verb for verb in _LABELS if verb == found[1])
    return Wanted(verb, reminder_id, datetime.fromtimestamp(int(found[3], 16), UTC))


def wanted_in_words(text: str, offered: Iterable[str]) -> Wanted | None:
    """Return what "done" or "in 20 minutes" means under a reminder with these actions.

    None for any other words.
    """
    answer = answer_in(text, fold)
    wanted = next((found for action in offered if (found := wanted_by(action)) is not None), None)
    if answer is None or wanted is None:
        return None
    return replace(wanted, verb="done" if answer.put_off is None else "1h", put_off=answer.put_off)


def language_of_label(label: str) -> Language:
    """Return the language of a button's label; English for anything else."""
    return next((one for one in LANGUAGES if any(say(one, text) == label for text in _LABELS.values())), "en")
