"""Answers "what did I just tell you?": the person's last stored entry, in their words (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from butler_specialist.changes.settled import Settled
from butler_specialist.changes.wording import Words
from butler_specialist.locale import joined, noop
from butler_specialist.questions.wording import quoted
from butler_specialist.store.earlier import Earlier
from butler_specialist.store.model import Record

__all__ = ["recalled"]

_NONE: Final = noop("I have noted nothing of yours here in the last days.")
_LAST: Final = noop("Noted last: {what}.")
_AS: Final = noop("Noted last: {said}, as {what}.")
_MOST: Final = 3
_IN_ITS_WORDS: Final = frozenset({"note", "task", "appointment", "reminder"})


def recalled(earlier: Sequence[Earlier], words: Words) -> Settled:
    """Return the entries as they are now, without any that were taken back."""
    rows = next((rows for one in earlier if (rows := _standing(one))), [])
    if not rows:
        return Settled(words.tell(_NONE))
    what = words.entries(rows)
    if all(row.kind in _IN_ITS_WORDS for row in rows):
        return Settled(words.tell(_LAST, what=what))
    texts = [*dict.fromkeys(row.text for row in rows)][:_MOST]
    said = joined([quoted(text, most=100, language=words.language) for text in texts], words.language)
    return Settled(words.tell(_AS, said=said, what=what))


def _standing(one: Earlier) -> list[Record]:
    rows = {row.record_id: row for row in (*one.told, *(change.now for change in one.changed))}
    return [row for row in rows.values() if not row.withdrawn and row.kind != "list_removal"]
