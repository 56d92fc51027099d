"""Answers an edited message: the facts of its former versions become those of the new one (D54, D71).

Invariant: the outcome that reports a former version's facts as changed or withdrawn also makes those changes; they
are never counted twice.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date
from gettext import NullTranslations
from typing import Final
from uuid import UUID

from butler_contracts.former import NO_BUTLER
from butler_kit.wording.language import language_of
from butler_specialist.edits.matching import Match, Matching, matched
from butler_specialist.edits.reminding import Rescheduled, rescheduled
from butler_specialist.edits.wording import (
    changed_text,
    kept_text,
    moved_text,
    stays_text,
    stopped_text,
    with_others_text,
    withdrawn_text,
)
from butler_specialist.locale import texts_in
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.profile import Profile
from butler_specialist.profiles.reply import Reply
from butler_specialist.store.former import Former
from butler_specialist.store.model import Record, RecordChange, RecordDraft, RecordReader
from butler_specialist.store.reminder_model import Reminder
from butler_specialist.understanding.emergencies import is_emergency
from butler_specialist.understanding.reading import read
from butler_specialist.work.ledger import draft_of, record_args

__all__ = ["EDITED", "edited", "overtaken_text", "respond"]

EDITED: Final = "edited"


async def respond(profile: Profile, prompt: str, answering: Answering) -> Reply:
    """Return the profile's reply; for an edit also what becomes of the message's former facts."""
    edit = answering.edit
    if edit is None:
        return await profile.respond(prompt, answering)
    former, texts = await edit.former(), texts_in(language_of(prompt, answering.usual))
    waiting = await _waiting(answering, former)
    if edit.moved_to:
        said = with_others_text if edit.corrected else moved_text
        whose = "" if NO_BUTLER in edit.moved_to else said(edit.moved_to, texts)
        return _moved(former, waiting, whose, texts)
    known = _Without(answering.records, former.records)
    reply = await profile.respond(prompt, replace(answering, records=known))
    alarms = answering.household and is_emergency(read(prompt, answering.moment, whose=answering.whose))
    return edited(former, reply, texts, waiting=waiting, answer_first=alarms)


async def _waiting(answering: Answering, former: Former) -> tuple[Reminder, ...]:
    """Return the waiting reminders of the former versions."""
    if answering.reminders is None or answering.asker is None:
        return ()
    found = await answering.reminders.find_reminders(answering.asker)
    return tuple(one for one in found if one.request_id in former.requests)


def edited(
    former: Former,
    reply: Reply,
    texts: NullTranslations,
    *,
    waiting: Sequence[Reminder] = (),
    answer_first: bool = False,
) -> Reply:
    """PURE: return `reply` as an edit: equal facts stay, others are changed, missing ones are withdrawn."""
    found = matched(former.facts, [_as_kept(draft) for draft in reply.records])
    reminders = rescheduled(waiting, reply.reminders)
    lead, rest = _lead(found, former, reminders, texts), _rest(found, reminders, reply, texts)
    done = {change.record_id for change in reply.changes}
    return replace(
        reply,
        records=found.only_edit,
        text=" ".join(filter(None, (rest, *lead) if answer_first else (*lead, rest))),
        changes=(*reply.changes, *(one for one in _changes(found) if one.record_id not in done)),
        reminders=reminders.drafts,
        reminder_stops=(*reply.reminder_stops, *reminders.stops),
    )


def _changes(found: Matching) -> list[RecordChange]:
    changed = [_change(match.fact.record, match.after) for match in found.changed]
    return changed + [_change(fact.record) for fact in found.gone]


def _lead(
    found: Matching, former: Former, reminders: Rescheduled, texts: NullTranslations
) -> tuple[str, ...]:
    """Return the sentences about the edit itself."""
    return (
        changed_text(found.changed, texts, alone=not found.gone and not found.only_edit),
        withdrawn_text([fact.said for fact in found.gone], texts),
        stopped_text(reminders.stopped, texts),
        kept_text(found.both, texts) if found.both and not found.changed and not found.gone else "",
        texts.gettext("What the message had changed before stays so.") if former.acted else "",
    )


def _rest(found: Matching, reminders: Rescheduled, reply: Reply, texts: NullTranslations) -> str:
    """Return the profile's own words, if they are true of the edit and say something new."""
    new = found.changed or found.gone or found.only_edit or reminders.drafts or reminders.stopped
    if found.both and not new:
        return ""
    otherwise = [match for match in found.both if _otherwise(match)]
    return stays_text(otherwise, texts) if otherwise else reply.text


def _as_kept(draft: RecordDraft) -> RecordDraft:
    """Return the fact as it would be read back from the store, so that equal facts compare equal."""
    kept = draft_of(record_args(draft))
    return replace(kept, details=json.loads(json.dumps(kept.details)))


def _otherwise(match: Match) -> bool:
    """Return whether others changed the fact since, so that the new words alone would not describe it."""
    return match.gone or _said(match.now) != _said(match.draft)


def _said(draft: RecordDraft) -> RecordDraft:
    """Return what a message's words say of a fact: not whether it is done, nor whose it is."""
    return replace(draft, done_on=None, audience=None, shared_with=())


def _moved(former: Former, waiting: Sequence[Reminder], whose: str, texts: NullTranslations) -> Reply:
    live = [fact for fact in former.facts if not fact.record.withdrawn]
    stopped = rescheduled(waiting, ())
    said = (
        withdrawn_text([fact.said for fact in live], texts),
        stopped_text(stopped.stopped, texts),
        "" if live or stopped.stopped else texts.gettext("Nothing of your message was noted here."),
        whose,
    )
    changes = tuple(_change(fact.record) for fact in live)
    return Reply((), " ".join(filter(None, said)), changes, reminder_stops=stopped.stops)


def _change(record: Record, after: RecordDraft | None = None) -> RecordChange:
    return RecordChange(record.record_id, record.version, EDITED, after)


def overtaken_text(prompt: str) -> str:
    """Return the answer to words that were edited before they were worked on."""
    return texts_in(language_of(prompt)).gettext(
        "You have changed this message since; what it says now counts, and nothing was noted of the words before."
    )


@dataclass(frozen=True, slots=True)
class _Without:
    """The records, without those that the edit replaces."""

    records: RecordReader
    hidden: Collection[UUID]

    async def find(
        self,
        kinds: Collection[str],
        *,
        start: date | None = None,
        end: date | None = None,
        all_senders: bool = False,
    ) -> Sequence[Record]:
        rows = await self.records.find(kinds, start=start, end=end, all_senders=all_senders)
        return [row for row in rows if row.record_id not in self.hidden]
