"""One specialist that remembers: records that change, and what each person was told before, all in memory."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime
from uuid import UUID, uuid4

from butler_specialist.profiles import load_profile
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.reply import Reply
from butler_specialist.store.earlier import Changed, Earlier
from butler_specialist.store.model import PRIVATE, Question, Record, RecordDraft
from butler_specialist.understanding.household import Whose
from tests.golden.specialist.conversations import BERLIN, CHANNEL
from tests.support.memory_records import matching


@dataclass
class _Said:
    request_id: UUID
    sender: str
    told: list[UUID] = field(default_factory=list)
    changed: list[tuple[UUID, Record, Record, str, UUID | None]] = field(default_factory=list)
    question: Question | None = None
    fresh: bool = True


@dataclass
class Talk:
    """A household's talk with the butler of `profile`: the same rules as the store's, without its races."""

    profile: str
    moment: datetime
    rows: dict[UUID, Record] = field(default_factory=dict)
    said: list[_Said] = field(default_factory=list)
    memory: bool = False

    @property
    def records(self) -> list[Record]:
        """What is kept and was not withdrawn."""
        return [row for row in self.rows.values() if not row.withdrawn]

    async def say(self, text: str, *, sender: str = "1001", household: bool = True) -> Reply:
        """What the specialist keeps, changes and says."""
        whose = Whose.of(None, None, CHANNEL, sender)
        moment = self.moment.astimezone(BERLIN)
        conversation = _Conversation(self, sender)
        rows = _Rows(self, sender)
        answering = Answering(moment, household, rows, whose, "EUR", conversation, memory=self.memory)
        reply = await load_profile(self.profile).respond(text, answering)
        self._keep(reply, sender, household)
        return reply

    def a_day_later(self) -> None:
        for one in self.said:
            one.fresh = False

    def _keep(self, reply: Reply, sender: str, household: bool) -> None:
        said = _Said(uuid4(), sender, question=reply.question)
        for draft in reply.records:
            row = _record(draft, len(self.rows) + 1, sender, household, said.request_id)
            self.rows[row.record_id] = row
            said.told.append(row.record_id)
        for change in reply.changes:
            row = self.rows[change.record_id]
            assert (row.version, household) == (change.version, True)
            values = {item.name: getattr(change.after or row, item.name) for item in fields(RecordDraft)}
            after = replace(row, **values, version=row.version + 1, withdrawn=change.after is None)
            self.rows[row.record_id] = after
            said.changed.append((row.record_id, row, after, change.cause, change.undoes))
        self.said.append(said)


@dataclass
class _Rows:
    talk: Talk
    sender: str

    async def find(
        self,
        kinds: Collection[str],
        *,
        start: date | None = None,
        end: date | None = None,
        all_senders: bool = False,
    ) -> Sequence[Record]:
        seen = [row for row in self.talk.records if row.kind not in PRIVATE or row.sender == self.sender]
        return matching(seen, kinds, start=start, end=end, all_senders=all_senders)


@dataclass
class _Conversation:
    talk: Talk
    sender: str

    async def earlier(self) -> Sequence[Earlier]:
        own = [one for one in reversed(self.talk.said) if one.sender == self.sender]
        rows = self.talk.rows
        return [
            Earlier(
                one.request_id,
                self.talk.moment,
                one.fresh,
                told=tuple(rows[told] for told in one.told),
                changed=tuple(
                    Changed(
                        former,
                        rows[key],
                        cause,
                        undoes,
                        replace(rows[key], version=0) == replace(after, version=0),
                    )
                    for key, former, after, cause, undoes in one.changed
                ),
                question=one.question,
            )
            for one in own
        ]

    async def records(self, ids: Collection[UUID]) -> Sequence[Record]:
        return [self.talk.rows[one] for one in ids if one in self.talk.rows]


def _record(draft: RecordDraft, seq: int, sender: str, household: bool, request_id: UUID) -> Record:
    values = {item.name: getattr(draft, item.name) for item in fields(RecordDraft)}
    return Record(
        **values,
        seq=seq,
        channel=CHANNEL,
        sender=sender,
        sender_class="household" if household else "other",
        record_id=uuid4(),
        request_id=request_id,
    )
