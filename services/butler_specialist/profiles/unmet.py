"""Requests that no butler can do yet, and what can be done instead (pure).

Invariant: nothing is kept as if it had been done; the day of a requested reminder is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from butler_contracts.language import Language
from butler_specialist.locale import joined, noop, say
from butler_specialist.questions.wording import ended, quoted, when_text
from butler_specialist.store.model import RecordDraft
from butler_specialist.understanding.reading import Reading
from butler_specialist.understanding.requests import Request, Wish

__all__ = ["Unmet", "dated_note", "declined_text", "unmet"]

_UNDATED: Final = {"day": "of the message"}
_SAID: Final = {
    Wish.REMIND: noop(
        "I can't remind you: I write first only on Telegram and by e-mail, and know no such address of yours."
    ),
    Wish.TELL: noop(
        "I can't pass that on, so nobody was told: I tell members of the household, by name, from a chat of"
        " your own. “todo: …” keeps it as a task for yourself."
    ),
    Wish.ARRANGE: noop(
        "I can't book, order or pay for anything, so nothing was arranged. “todo: …” keeps it as a task for yourself."
    ),
    Wish.SHARE: noop(
        "I can't split a sum yet, so nothing was noted. “Paid 40 EUR for dinner” notes a sum whole."
    ),
    Wish.LIVE: noop(
        "I can't look up the weather, news or traffic. I answer from what this household has told me."
    ),
    Wish.CONTACT: noop(
        "I can't call or write to anybody for you, so nobody was told. “Remind me at six to call …” reminds you."
    ),
    Wish.SEE: noop(
        "I can't see pictures, read files or listen to recordings. Please tell me in words what it is about."
    ),
    Wish.HOME: noop("I can't switch or do anything in the house. “Remind me at six to …” reminds you."),
    Wish.PLAY: noop(
        "I can't play, draw or tell stories. I keep what you tell me, answer from it and remind you."
    ),
    Wish.LOOK_UP: noop(
        "I can't look that up, translate or calculate. I answer from what this household has told me."
    ),
    Wish.OTHER: noop(
        "I can't do that. I keep what you tell me, answer from it and remind you; “help” shows how."
    ),
    Wish.STOP: noop(
        "I can't change what is sent to you. “Stop reminding me of …” ends a reminder;"
        " daily messages and quiet hours are set by whoever runs your household."
    ),
}


@dataclass(frozen=True, slots=True)
class Unmet:
    """A request that is not done."""

    request: Request

    @property
    def reminds(self) -> bool:
        """Whether it asks for a reminder: what that is about is still kept."""
        return self.request.wish is Wish.REMIND


def unmet(requests: Sequence[Request]) -> tuple[Unmet, ...]:
    """Return the requests that no butler can do; one only reported as done is not among them."""
    return tuple(Unmet(request) for request in requests if not request.told and request.wish in _SAID)


def dated_note(one: Unmet, reading: Reading) -> RecordDraft | None:
    """Return a note of the reminder's content, if the profile keeps no such thing itself."""
    if not one.reminds:
        return None
    sentence = one.request.sentence
    when = reading.when(sentence, "future", usual="future")
    at, details = (when.at, {}) if when.named else (None, _UNDATED)
    return RecordDraft("note", when.day, sentence.text, occurred_at=at, details=details)


def declined_text(unmet: Sequence[Unmet], said: str, noted: Sequence[RecordDraft], language: Language) -> str:
    """Say what is not done, around the text `said` about the rest: first reminders, then the others."""
    first = [say(language, _SAID[Wish.REMIND])] if any(one.reminds for one in unmet) else []
    others = [one for one in unmet if not one.reminds]
    wishes = dict.fromkeys(one.request.wish for one in others)
    quote = bool(said or noted or first or len(wishes) > 1)
    last = [
        _refused([one for one in others if one.request.wish is wish], language, quote=quote)
        for wish in wishes
    ]
    kept = [_noted(note, language) for note in noted]
    return " ".join([*first, *([said] if said else []), *kept, *last])


def _noted(note: RecordDraft, language: Language) -> str:
    text = quoted(note.text, language=language)
    if note.details == _UNDATED:
        return ended(say(language, "Noted: {text}", text=text))
    when = when_text(note.occurred_on, note.occurred_at, language)
    return ended(say(language, "Noted for {when}: {text}", when=when, text=text))


def _refused(same: Sequence[Unmet], language: Language, *, quote: bool) -> str:
    refusal = say(language, _SAID[same[0].request.wish])
    if not quote:
        return refusal
    which = joined([quoted(one.request.sentence.text, most=100, language=language) for one in same], language)
    return say(language, "Not done: {which}. {refusal}", which=which, refusal=refusal)
