"""What a request is decided from: the clause, the household's entries and the earlier messages (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from butler_specialist.changes.named import open_rows
from butler_specialist.changes.wording import Words
from butler_specialist.store.earlier import Earlier
from butler_specialist.store.model import Record
from butler_specialist.understanding.prose import one_line
from butler_specialist.understanding.reading import Reading
from butler_specialist.understanding.requests import Request
from butler_specialist.understanding.sentence import Sentence

__all__ = ["Case"]

_ASKED_CHARS = 100


@dataclass(frozen=True)
class Case:
    """One request; `rows` are the household's entries of this butler, `earlier` the person's own messages."""

    request: Request
    reading: Reading
    rows: Sequence[Record]
    earlier: Sequence[Earlier]
    words: Words

    @property
    def said(self) -> str:
        """The clause."""
        return self.request.sentence.text

    @property
    def asked(self) -> str:
        """The clause as answers quote it."""
        return one_line(self.said, most=_ASKED_CHARS).replace("“", "'").replace("”", "'")

    @cached_property
    def living(self) -> list[Record]:
        """The entries that can be named; of lists, only what is on them now."""
        on_lists = {row.record_id for row in open_rows(self.rows) if row.kind == "list_item"}
        return [
            row
            for row in self.rows
            if row.kind != "list_removal" and (row.kind != "list_item" or row.record_id in on_lists)
        ]

    @property
    def last_rows(self) -> list[Record]:
        """The entries that the last message told or changed, as they are now."""
        last = next(iter(self.earlier), None)
        if last is None:
            return []
        rows = {row.record_id: row for row in (*last.told, *(change.now for change in last.changed))}
        return [row for row in rows.values() if not row.withdrawn]

    def sentence_of(self, text: str) -> Sentence:
        """Return some words, read as a clause of this message."""
        return replace(self.request.sentence, text=text)
