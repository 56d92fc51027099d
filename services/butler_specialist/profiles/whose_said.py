"""Handles messages about whose a record is: "keep that to yourself", "share it with Tom" (ADR 0100).

Invariant: only what the sender told themselves changes, and "undo" takes that back; of a memory only a note is
shared, so that what is known about a person stays theirs.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from butler_specialist.changes.named import fitting, named_by
from butler_specialist.changes.wording import Words
from butler_specialist.locale import joined, noop
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.reply import Reply
from butler_specialist.store.earlier import Earlier
from butler_specialist.store.model import PRIVATE, Record, RecordChange, RecordDraft, as_draft
from butler_specialist.understanding.household import Whose, teller_key
from butler_specialist.understanding.whose_word import WhoseWord

__all__ = ["KEPT_PRIVATE", "SHARED", "settled_whose", "with_word"]

SHARED: Final = "shared"
KEPT_PRIVATE: Final = "kept_private"
_FOLLOWED: Final = timedelta(minutes=60)
_MINE: Final = noop("I keep that between us.")
_OURS: Final = noop("Everybody of the household may be told.")
_THEIRS: Final = noop("{names} may be told.")
_NOW_MINE: Final = noop("I keep that between us from now on: {what}.")
_NOW_OURS: Final = noop("Everybody of the household may be told from now on: {what}.")
_NOW_THEIRS: Final = noop("{names} may be told from now on: {what}.")
_UNCLEAR: Final = noop("I can't tell what that is about; please say it again with what is meant.")


async def settled_whose(said: WhoseWord, text: str, answering: Answering, *, kinds: Collection[str]) -> Reply:
    """Apply the word to what the sender told last, or what is named, if a message says nothing else."""
    words = Words(text, answering.usual)
    if said.word.about:
        rows = _named(said.word.about, await answering.records.find(kinds), answering)
    else:
        rows = _meant(await answering.conversation.earlier(), answering)
    if not rows:
        return Reply((), words.tell(_UNCLEAR))
    cause = SHARED if said.shares else KEPT_PRIVATE
    changes = tuple(
        RecordChange(row.record_id, row.version, cause, said.of(as_draft(row)), whose=True)
        for row in rows
        if row.kind not in PRIVATE
    )
    notes = tuple(_note(row) for row in rows if row.kind in PRIVATE and said.shares)
    form = _NOW_OURS if said.word.audience == "household" else _NOW_THEIRS if said.shares else _NOW_MINE
    names = _names(said, answering.whose, words)
    text = words.tell(form, names=names, what=words.entries(rows))
    return Reply(said.of_all(notes), text, changes=changes)


def with_word(reply: Reply, said: WhoseWord, text: str, answering: Answering) -> Reply:
    """Return the reply to the rest of the message, with what is said about whose it is."""
    if not reply.records and not reply.changes:
        return reply
    words = Words(text, answering.usual)
    form = _OURS if said.word.audience == "household" else _THEIRS if said.shares else _MINE
    added = words.tell(form, names=_names(said, answering.whose, words))
    return replace(reply, text=f"{reply.text} {added}".strip())


def _meant(earlier: Sequence[Earlier], answering: Answering) -> list[Record]:
    """Return what the thread's last message told or changed, as far as it is the sender's."""
    last = next((one for one in earlier if one.in_thread), None)
    if last is None or not last.fresh or last.ended_at < answering.moment - _FOLLOWED:
        return []
    rows = {row.record_id: row for row in (*last.told, *(change.now for change in last.changed))}
    return [row for row in rows.values() if not row.withdrawn and _is_mine(row, answering)]


def _named(about: str, rows: Sequence[Record], answering: Answering) -> list[Record]:
    """Return the sender's own entries with every word of the name; none if several may be meant."""
    found = fitting(named_by(about), rows, answering.moment.date()).rows
    mine = [row for row in found if _is_mine(row, answering)]
    return mine if len({row.request_id for row in mine}) == 1 else []


def _is_mine(row: Record, answering: Answering) -> bool:
    return teller_key(row.contact_id, row.channel, row.sender) == answering.whose.me


def _note(row: Record) -> RecordDraft:
    return RecordDraft(kind="note", occurred_on=row.occurred_on, text=row.text)


def _names(said: WhoseWord, whose: Whose, words: Words) -> str:
    return joined([whose.names[key].split()[0] for key in said.people], words.language)
