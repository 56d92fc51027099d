"""What a member asked for and no butler can do yet, and what can be done instead (pure).

Invariant: nothing is kept as if it had been done; the day of what was to be reminded of is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from butler_specialist.questions.wording import ended, joined, quoted, when_text
from butler_specialist.store.model import RecordDraft
from butler_specialist.understanding.reading import Reading
from butler_specialist.understanding.requests import Request, Wish

__all__ = ["Unmet", "dated_note", "declined_text", "unmet"]

_UNDATED: Final = {"day": "of the message"}
_AS_A_TASK: Final = "“todo: …” keeps it as a task for yourself."
_SAID: Final = {
    Wish.REMIND: (
        "I can't remind you: I write first only on Telegram and by e-mail, and know no such address of yours."
    ),
    Wish.TELL: f"I can't pass messages on yet, so nobody was told. {_AS_A_TASK}",
    Wish.ARRANGE: f"I can't book, order or pay for anything, so nothing was arranged. {_AS_A_TASK}",
    Wish.SHARE: "I can't split a sum yet, so nothing was noted. “Paid 40 EUR for dinner” notes a sum whole.",
    Wish.LIVE: "I can't look up the weather, news or traffic. I answer from what this household has told me.",
    Wish.STOP: "I can't change what is sent to you yet. I only answer messages.",
}


@dataclass(frozen=True, slots=True)
class Unmet:
    """A request that stays undone."""

    request: Request

    @property
    def reminds(self) -> bool:
        """Whether it is a reminder that is asked for: what it is about is kept all the same."""
        return self.request.wish is Wish.REMIND


def unmet(requests: Sequence[Request]) -> tuple[Unmet, ...]:
    """The requests that no butler can do; what is only told as done is none."""
    return tuple(Unmet(request) for request in requests if not request.told and request.wish in _SAID)


def dated_note(one: Unmet, reading: Reading) -> RecordDraft | None:
    """What to be reminded of, where the profile keeps nothing of the kind itself."""
    if not one.reminds:
        return None
    sentence = one.request.sentence
    when = reading.when(sentence, "future", usual="future")
    at, details = (when.at, {}) if when.named else (None, _UNDATED)
    return RecordDraft("note", when.day, sentence.text, occurred_at=at, details=details)


def declined_text(unmet: Sequence[Unmet], said: str, noted: Sequence[RecordDraft]) -> str:
    """What is not done, around what is `said` of the rest: first that nobody is reminded, the others after it."""
    first = [_SAID[Wish.REMIND]] if any(one.reminds for one in unmet) else []
    others = [one for one in unmet if not one.reminds]
    wishes = dict.fromkeys(one.request.wish for one in others)
    quote = bool(said or noted or first or len(wishes) > 1)
    last = [_refused([one for one in others if one.request.wish is wish], quote=quote) for wish in wishes]
    return " ".join([*first, *([said] if said else []), *(_noted(note) for note in noted), *last])


def _noted(note: RecordDraft) -> str:
    when = f" for {when_text(note.occurred_on, note.occurred_at)}" if note.details != _UNDATED else ""
    return ended(f"Noted{when}: {quoted(note.text)}")


def _refused(same: Sequence[Unmet], *, quote: bool) -> str:
    wish = same[0].request.wish
    which = joined([quoted(one.request.sentence.text, most=100) for one in same])
    lead = f"Not done: {which}. " if quote else ""
    return f"{lead}{_SAID[wish]}"
