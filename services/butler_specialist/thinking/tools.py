"""The tools of one session with a model: what they look up, what they take, and what the session comes to.

Invariants: only the writer's own records are found, changed or withdrawn, whatever id or words the model gives; nothing
is written here: what was taken is kept until the session has ended, as the calls that the session of `rules` makes
itself. Nobody outside the household has any tool that reads.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from butler_contracts.errors import ValidationFailed
from butler_contracts.text import storable
from butler_kit.runtime import SessionTool, ToolBelt, ToolCall
from butler_kit.runtime.fence import fence
from butler_specialist.changes.correct import CORRECTED
from butler_specialist.changes.undo import WITHDRAWN
from butler_specialist.people.company import Company
from butler_specialist.store.model import Question, Record, RecordChange, RecordDraft, TellingDraft
from butler_specialist.store.own_records import MOST_OWN, OwnRecords, Wanted
from butler_specialist.store.visibility import made_of
from butler_specialist.thinking.drafts import Told, added, shown, updated
from butler_specialist.thinking.schemas import (
    ANSWER,
    ASK,
    FORGET,
    MOST_FOUND,
    NOTHING,
    NOTIFY,
    add_schema,
    search_schema,
    update_schema,
)
from butler_specialist.thinking.shapes import KEPT_BY_RULES_ALONE, check_shape
from butler_specialist.work.ledger import ask_args, change_args, record_args
from butler_specialist.work.tellings import MOST_TELLINGS, tell_args

__all__ = ["SessionTools", "kinds_offered"]

_TELL: Final = "Tell whom the task is for what came of it: it ends the session."
_TOO_MANY: Final = "none: not all records were read; search shorter periods"
_UNKNOWN: Final = "no record of the writer's has this id; use record_search"


def kinds_offered(kept: Sequence[str]) -> tuple[str, ...]:
    """The kinds of a profile that a model may keep."""
    return tuple(kind for kind in kept if kind not in KEPT_BY_RULES_ALONE)


@dataclass(slots=True)
class SessionTools:
    """`own` is None for whoever has no records to read: somebody outside the household.

    What a model answers is Markdown, which models write whether they are asked to or not.
    """

    kinds: tuple[str, ...]
    told: Told
    moment: datetime
    boundary: str
    own: OwnRecords | None
    company: Company
    _added: list[RecordDraft] = field(default_factory=list)
    _private: dict[UUID, Record] = field(default_factory=dict)
    _changed: dict[UUID, RecordChange] = field(default_factory=dict)
    task: bool = False
    """Whether there is no message but a task of a schedule: nobody is asked back, and there may be nothing to tell."""
    _answer: str | None = None
    _silent: bool = False
    _question: Question | None = None
    _tellings: list[TellingDraft] = field(default_factory=list)

    def belt(
        self, *, max_calls: int, outside: Sequence[SessionTool] = (), within: ToolBelt | None = None
    ) -> ToolBelt:
        """The tools as a model is offered them; `within` is the belt that takes what the session comes to."""
        tools = [*self._writing(), *self._reading(), *self._telling(), *outside, *self._last_words()]
        return ToolBelt(tools, max_calls=max_calls, within=within)

    @property
    def outcome(self) -> tuple[ToolCall, ...] | None:
        """What the session came to, in the calls of a session of `rules`; None while the last word was not said."""
        if self._answer is None and not self._silent:
            return None
        calls = [ToolCall("record", record_args(self._as_private_as(draft))) for draft in self._added]
        calls += [ToolCall("change", change_args(change)) for change in self._changed.values()]
        calls += [ToolCall("tell", tell_args(telling)) for telling in self._tellings]
        if self._question is not None:
            calls.append(ToolCall("ask", ask_args(self._question)))
        last = (
            ToolCall("answer", {"text": self._answer, "format": "markdown"})
            if self._answer is not None
            else ToolCall("say_nothing", {})
        )
        return (*calls, last)

    def _writing(self) -> list[SessionTool]:
        add = "Keep one dated fact of the message."
        tools = [SessionTool("record_add", add, add_schema(self.kinds), self._add)]
        if self.own is not None:
            change = "Change a record of the writer's; fields as of record_add, what is not named stays."
            forget = "Withdraw a record of the writer's."
            tools.append(SessionTool("record_update", change, update_schema(), self._update))
            tools.append(SessionTool("record_forget", forget, FORGET, self._forget))
        return tools

    def _reading(self) -> list[SessionTool]:
        if self.own is None:
            return []
        text = f"Find the writer's records, with the sums of all that match; at most {MOST_FOUND} are shown."
        return [SessionTool("record_search", text, search_schema(self.kinds), self._search)]

    def _telling(self) -> list[SessionTool]:
        if not self.company.others:
            return []
        text = "Tell another member of the household what this message asks to tell them."
        return [SessionTool("notify", text, NOTIFY, self._notify)]

    def _last_words(self) -> list[SessionTool]:
        answer = "Answer the writer: it ends the session." if not self.task else _TELL
        tools = [SessionTool("answer", answer, ANSWER, self._say, ends=True)]
        if self.task:
            nothing = "Tell nothing, where there is nothing to tell: it ends the session."
            tools.append(SessionTool("say_nothing", nothing, NOTHING, self._keep_silent, ends=True))
        elif self.own is not None:
            ask = "Instead of an answer: one question to the writer."
            tools.append(SessionTool("ask", ask, ASK, self._ask, ends=True))
        return tools

    async def _add(self, args: Mapping[str, Any]) -> str:
        draft = added(args, self.told)
        check_shape(draft, self.told.today)
        if draft in self._added:
            raise ValidationFailed("this was recorded already")
        self._added.append(draft)
        return f"recorded: {draft.kind} on {draft.occurred_on}"

    async def _update(self, args: Mapping[str, Any]) -> str:
        record = await self._found(args["id"])
        after = updated(record, args, self.told)
        check_shape(after, self.told.today)
        return self._change(record, after, CORRECTED)

    async def _forget(self, args: Mapping[str, Any]) -> str:
        return self._change(await self._found(args["id"]), None, WITHDRAWN)

    async def _found(self, given: str) -> Record:
        """The writer's own record of that id; of any other it is not even said that there is one."""
        try:
            record_id = UUID(given)
        except ValueError:
            raise ValidationFailed(_UNKNOWN) from None
        record = await self.own.one(record_id) if self.own is not None else None
        if record is None or record.kind not in self.kinds:
            raise ValidationFailed(_UNKNOWN)
        self._saw((record,))
        if record_id in self._changed:
            raise ValidationFailed("this record was changed in this session already")
        return record

    def _change(self, record: Record, after: RecordDraft | None, cause: str) -> str:
        self._changed[record.record_id] = RecordChange(record.record_id, record.version, cause, after)
        return f"{cause}: {record.kind} on {(after or record).occurred_on}"

    async def _search(self, args: Mapping[str, Any]) -> str:
        words = [word for given in args.get("words", ()) if (word := storable(given).strip())]
        try:
            since, until = (_day(args.get(name)) for name in ("since", "until"))
        except ValueError as wrong:
            raise ValidationFailed(f"a day that is none: {wrong}") from wrong
        wanted = Wanted(tuple(args.get("kinds") or self.kinds), words, since, until)
        rows = await self.own.find(wanted) if self.own is not None else ()
        self._saw(rows)
        return fence(json.dumps(_listed(rows), ensure_ascii=False), boundary=self.boundary)

    def _saw(self, rows: Sequence[Record]) -> None:
        self._private |= {row.record_id: row for row in rows if row.audience == "private"}

    def _as_private_as(self, draft: RecordDraft) -> RecordDraft:
        """A new record with the sum or the title of a private one that was seen is as private."""
        of = (row for row in self._private.values() if _is_of(row, draft))
        return next((made_of(row, draft) for row in of), draft)

    async def _notify(self, args: Mapping[str, Any]) -> str:
        draft = self.company.draft(storable(args["person"]), storable(args["quote"]))
        if any(one.contact_id == draft.contact_id for one in self._tellings):
            raise ValidationFailed("they are told something in this session already")
        if len(self._tellings) == MOST_TELLINGS:
            raise ValidationFailed(f"one message tells at most {MOST_TELLINGS} people something")
        self._tellings.append(draft)
        return "told after your answer, to which it is added whether they were"

    async def _say(self, args: Mapping[str, Any]) -> str:
        self._answer = storable(args["text"]).strip()
        return "answered"

    async def _keep_silent(self, _: Mapping[str, Any]) -> str:
        self._silent = True
        return "nothing is told"

    async def _ask(self, args: Mapping[str, Any]) -> str:
        if self._added or self._changed or self._tellings:
            raise ValidationFailed("something was recorded already; answer, and ask within the answer")
        self._answer = storable(args["question"]).strip()
        self._question = Question(self._answer, self.moment, (), "open")
        return "asked"


def _is_of(row: Record, draft: RecordDraft) -> bool:
    same_sum = row.amount is not None and (row.amount, row.currency) == (draft.amount, draft.currency)
    return same_sum or (row.title is not None and row.title == draft.title)


def _day(given: str | None) -> date | None:
    return date.fromisoformat(given) if given is not None else None


def _listed(rows: Sequence[Record]) -> dict[str, Any]:
    """What a search shows: how many there are, their sums, the first of them.

    Where there may be more than were read, there are no sums.
    """
    whole = len(rows) < MOST_OWN
    return {
        "found": len(rows) if whole else f"{len(rows)} or more",
        "sums": _sums(rows) if whole else _TOO_MANY,
        "records": [shown(row) for row in rows[:MOST_FOUND]],
    }


def _sums(rows: Sequence[Record]) -> list[dict[str, str]]:
    """The sums by kind and currency."""
    sums: dict[tuple[str, str], Decimal] = defaultdict(Decimal)
    for row in rows:
        if row.amount is not None:
            sums[row.kind, row.currency or ""] += row.amount
    return [
        {"kind": kind, "currency": currency, "sum": format(amount, "f")}
        for (kind, currency), amount in sums.items()
    ]
