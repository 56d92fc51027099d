"""The answers about entries taken back, changed, done or not found, in the sender's language (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, time
from typing import Final

from butler_contracts.language import Language
from butler_kit.wording.language import language_of
from butler_specialist.locale import joined, noop, say
from butler_specialist.questions.values import value_of
from butler_specialist.questions.wording import ended, more_text, quoted, when_text
from butler_specialist.store.model import PRIVATE, RecordDraft
from butler_specialist.understanding.money import amount_text

__all__ = ["MOST_NAMED", "Words"]

MOST_NAMED: Final = 5
"""The most entries that a question names."""
_QUOTED_CHARS: Final = 100
_MONEY: Final = frozenset({"expense", "bill", "subscription", "refund", "income", "debt"})
_DAYLESS: Final = frozenset({"list_item", "list_removal", "allergy", "gift", "contact"})
_BY_TITLE: Final = frozenset({"task", *PRIVATE})
"""Kinds shown by their title rather than by the words in which they were told."""
_LISTS: Final = {"shopping": noop("shopping"), "to-do": noop("to-do"), "packing": noop("packing")}


class Words:
    """The answers in the language of `text`, else in the `usual` one."""

    def __init__(self, text: str, usual: Language = "en") -> None:
        self._language: Language = language_of(text, usual)

    @property
    def language(self) -> Language:
        """The language of the answers."""
        return self._language

    def when(self, day: date, at: time | None) -> str:
        """`Friday, 27 November 2026 at 10:00`."""
        return when_text(day, at, self._language)

    def entry(self, record: RecordDraft) -> str:
        """Return one entry as text that its writer recognises."""
        if record.kind in _DAYLESS:
            return (
                record.code
                if record.kind == "contact" and record.code
                else record.title or self._shown(record)
            )
        return f"{self.named(record)}{self._dated(record)}"

    def named(self, record: RecordDraft) -> str:
        """Return the entry without its day."""
        if (record.kind in _MONEY and record.amount is not None) or record.kind == "measurement":
            return f"{self.value(record)}, {self._subject(record)}"
        return self._subject(record)

    def subject(self, record: RecordDraft) -> str:
        """Return the entry without its value."""
        return f"{self._subject(record)}{self._dated(record)}"

    def list_name(self, name: str | None) -> str:
        """Return the name of a list."""
        return say(self._language, _LISTS[name]) if name in _LISTS else name or ""

    def value(self, record: RecordDraft) -> str:
        """Return its sum or quantity: `66.00 EUR`, `128/82 mmHg`."""
        if record.amount is not None:
            return amount_text(record.amount, record.currency or "", self._language)
        second = f"/{record.quantity_second.normalize():f}" if record.quantity_second is not None else ""
        first = f"{record.quantity.normalize():f}" if record.quantity is not None else ""
        return f"{first}{second} {record.unit or ''}".strip()

    def entries(self, records: Sequence[RecordDraft]) -> str:
        """Return several entries, at most as many as a question names."""
        shown = [self.entry(record) for record in records[:MOST_NAMED]]
        more = len(records) - len(shown)
        last = [more_text(more, self._language)] if more else []
        return joined([*shown, *last], self._language)

    def numbered(self, records: Sequence[RecordDraft]) -> str:
        """`1) …; 2) …`."""
        shown = [f"{place}) {self.entry(record)}" for place, record in enumerate(records, start=1)]
        return "; ".join(shown)

    def tell(self, text: str, /, **values: str) -> str:
        """Return one of the texts, translated, filled in and with a full stop."""
        return ended(say(self._language, text, **values).removesuffix("."))

    def _dated(self, record: RecordDraft) -> str:
        if record.details.get("day") == "of the message" and record.kind not in _MONEY:
            return ""
        when = self.when(record.occurred_on, record.occurred_at)
        due = say(self._language, noop("due {when}"), when=when) if record.kind == "bill" else when
        return f" ({due})"

    def _subject(self, record: RecordDraft) -> str:
        if record.kind in _MONEY and record.amount is not None:
            named = record.title or record.party or self._shown(record)
            other = record.party if record.party and record.party not in named else None
            return f"{named} ({other})" if other else named
        if record.kind == "measurement":
            return value_of(record.code, record.party, self._language)
        if record.kind == "birthday" and record.party and record.party not in record.text:
            return f"{record.party}: {self._shown(record)}"
        return self._shown(record)

    def _shown(self, record: RecordDraft) -> str:
        text = record.title if record.kind in _BY_TITLE and record.title else record.text
        return quoted(text, most=_QUOTED_CHARS, language=self._language)
