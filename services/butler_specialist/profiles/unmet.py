"""What a member asked for and no butler can do yet: what stays as it is, and what can be done instead (pure).

Invariant: nothing is kept as if it had been done; the day of what was to be reminded of is kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from butler_specialist.questions.wording import ended, joined, quoted, when_text
from butler_specialist.store.model import Record, RecordDraft
from butler_specialist.understanding.folding import fold
from butler_specialist.understanding.money import amount_text
from butler_specialist.understanding.reading import Reading
from butler_specialist.understanding.requests import Request, Wish, object_words

__all__ = ["Unmet", "dated_note", "declined_text", "unmet"]

_OPEN: Final = frozenset({"list_item", "task", "bill", "subscription"})
"""Kinds that somebody waits for: "got the eggs" is about one of these or about none."""
_UNDATED: Final = {"day": "of the message"}
_LISTED: Final = frozenset({"list_item", "list_removal"})
_LIST: Final = re.compile(r"\b\w*list[ea]?\b")
_AS_A_TASK: Final = "“todo: …” keeps it as a task for yourself."
_SAID: Final = {
    Wish.TAKE_BACK: "I can't take back or cancel anything yet",
    Wish.CHANGE: "I can't change what is noted yet",
    Wish.TICK: "I can't tick anything off yet",
    Wish.REMIND: (
        "I can't remind you: I write first only on Telegram and by e-mail, and know no such address of yours."
    ),
    Wish.TELL: f"I can't pass messages on yet, so nobody was told. {_AS_A_TASK}",
    Wish.ARRANGE: f"I can't book, order or pay for anything, so nothing was arranged. {_AS_A_TASK}",
    Wish.SHARE: "I can't split a sum yet, so nothing was noted. “Paid 40 EUR for dinner” notes a sum whole.",
    Wish.LIVE: "I can't look up the weather, news or traffic. I answer from what this household has told me.",
    Wish.STOP: "I can't change what is sent to you yet. I only answer messages.",
}
_ONE_OFF: Final = " “remove bread from the shopping list” takes one thing off it."
_ANEW: Final = " You can add what is right in a new message; it is noted beside the old one."


@dataclass(frozen=True, slots=True)
class Unmet:
    """A request, with the entry that it seems to mean."""

    request: Request
    entry: Record | None = None

    @property
    def reminds(self) -> bool:
        """Whether it is a reminder that is asked for: what it is about is kept all the same."""
        return self.request.wish is Wish.REMIND


def unmet(requests: Sequence[Request], rows: Sequence[Record]) -> tuple[Unmet, ...]:
    """The requests; what is told as done is one only where an entry waits for it."""
    found = [Unmet(request, _meant(request, rows)) for request in requests]
    return tuple(one for one in found if one.entry is not None or not one.request.told)


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
    return f"{lead}{_SAID[wish]}{_rest(same)}"


def _rest(same: Sequence[Unmet]) -> str:
    """What stays as it is."""
    wish, entries = same[0].request.wish, [one.entry for one in same if one.entry is not None]
    stays = joined([_named(entry) for entry in entries])
    if wish not in (Wish.TAKE_BACK, Wish.CHANGE, Wish.TICK):
        return ""
    left = "open" if wish is Wish.TICK else "noted"
    said = f"; still {left}: {stays}." if stays else "; what is noted stays as it is."
    return said + _instead(same, entries)


def _instead(same: Sequence[Unmet], entries: Sequence[Record]) -> str:
    """What can be done."""
    items = [entry.title for entry in entries if entry.kind == "list_item" and entry.title]
    if items:
        name = next(entry.code or "shopping" for entry in entries if entry.kind == "list_item")
        return f" “remove {items[0]} from the {name} list” takes it off."
    if any(one.request.sentence.has(_LIST) for one in same):
        return _ONE_OFF
    if same[0].request.wish is not Wish.TICK:
        return _ANEW
    sums = [amount_text(one.amount, one.currency) for one in entries if one.amount and one.currency]
    return f" “Paid {sums[0]} for {entries[0].title or 'it'}” notes it as spent." if sums else ""


def _named(entry: Record) -> str:
    if entry.kind == "list_item":
        return f"{quoted(entry.title or entry.text, most=100)} on the {entry.code or 'shopping'} list"
    return f"{quoted(entry.text, most=100)} ({when_text(entry.occurred_on, entry.occurred_at)})"


def _meant(request: Request, rows: Sequence[Record]) -> Record | None:
    """The one entry that the words fit; of what was done, the last that is open."""
    if request.wish not in (Wish.TAKE_BACK, Wish.CHANGE, Wish.TICK):
        return None
    asked = object_words(request.sentence)
    fitting = [row for row in rows if asked and _fits(asked, row, told=request.told)]
    if request.wish is Wish.TICK:
        fitting = [row for row in fitting if row.kind in _OPEN | _LISTED]
        last = max(fitting, key=lambda row: row.seq, default=None)
        return last if last is not None and last.kind in _OPEN else None
    found = [row for row in fitting if row.kind != "list_removal"]
    return found[0] if len(found) == 1 else None


def _fits(asked: frozenset[str], row: Record, *, told: bool) -> bool:
    own = row.title or row.text if row.kind in _LISTED or told else f"{row.title or ''} {row.text}"
    known = _words(f"{own} {row.party or ''} {row.place or ''}")
    return asked <= known or (told and row.kind in _LISTED and bool(known) and known <= asked)


def _words(text: str) -> frozenset[str]:
    return frozenset(
        word.removesuffix("s") if len(word) > 3 else word for word in re.findall(r"[^\W\d_]{3,}", fold(text))
    )
