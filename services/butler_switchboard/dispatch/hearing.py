"""Asks a grown-up about what plans hold, hears their word, and gives it to the butlers once (ADR 0124).

Messenger keeps the question and the verdict; asking again returns it, so that a restart at any point asks nobody twice
and loses nothing. An edit, a button and an operator's end withdraw the question.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Final, Protocol
from uuid import UUID

from butler_contracts.actions import ActionV1
from butler_contracts.call_approvals import CallForApproval, CallVerdict, ask_again_in_s
from butler_contracts.errors import ButlerError, ErrorClass
from butler_contracts.notify import NotifyRequestV1
from butler_contracts.parse import parse
from butler_contracts.request_approvals import ROUTE_SERVER, ROUTE_TOOL, approval_of
from butler_kit.faults import points, reached_async
from butler_kit.telemetry import get_logger
from butler_kit.time import Clock
from butler_switchboard.dispatch.call_approvals import ASK_TIMEOUT_S, ASK_TOOL
from butler_switchboard.dispatch.edits import Edit
from butler_switchboard.dispatch.held import (
    arguments_of,
    decided_before,
    offer_to_take_back,
    told_words,
)
from butler_switchboard.dispatch.held_store import HeldStore
from butler_switchboard.dispatch.lifecycle import MESSENGER, error_reply
from butler_switchboard.dispatch.model import Held, Plan, RequestState, Word
from butler_switchboard.dispatch.notify import Notifier
from butler_switchboard.dispatch.planning import FormerVersions
from butler_switchboard.dispatch.targets import Targets
from butler_switchboard.operations.audit import AuditEntry

__all__ = ["HeldParts"]

_log = get_logger(__name__)

_TRY_FOR: Final = timedelta(hours=1)
"""How long Messenger is asked that cannot be, and after the last moment for a word."""
_FULL_FOR: Final = timedelta(minutes=1)
"""How long a Messenger is asked at which too many wait."""
_PAUSE_S: Final = 5.0
_WORDS: Final = {"denied": Word.DENIED, "expired": Word.EXPIRED}


class Recording(Protocol):
    """The audit."""

    def record(self, entry: AuditEntry) -> None: ...


class HeldParts:
    """`wake` brings a request to a worker at once."""

    def __init__(
        self,
        store: HeldStore,
        targets: Targets,
        notifier: Notifier,
        former: FormerVersions,
        audit: Recording,
        clock: Clock,
        wake: Callable[[UUID], Awaitable[None]],
    ) -> None:
        self._store = store
        self._targets = targets
        self._notifier = notifier
        self._former = former
        self._audit = audit
        self._clock = clock
        self._wake = wake

    async def hear(self, state: RequestState, held: Held) -> float | None:
        """Ask, or hear the word; None if the plan has one now, else in how many seconds to look again."""
        try:
            verdict = await self._verdict(state, held)
        except ButlerError as failure:
            return await self._unheard(state, held, failure)
        await reached_async(points.HELD_ASKED)
        if verdict.state == "approved":
            await self._released(state, held, verdict.decided_by)
            return None
        if verdict.state != "waiting":
            await self._settled(state, held, _WORDS[verdict.state], verdict.decided_by)
            return None
        if held.asked is None and not await self._told(state, held, verdict):
            return _PAUSE_S
        return ask_again_in_s(state.message.context.received_at, self._clock.now())

    async def let_former_go(self, state: RequestState) -> None:
        """Let go of what former versions of an edited message still ask about; its new words are decided anew."""
        if state.message.supersedes is None or state.message.context.sender_class != "household":
            return
        versions = await self._former.of(state.message)
        if Edit(state, versions).recorded_as is not None:
            return
        for one in versions:
            await self._let_go(one)

    async def take_back(self, plan: Plan, request_id: UUID) -> Plan:
        """Take a request back for who wrote it; return the plan, which says otherwise if it is too late."""
        meant = await self._store.load(request_id)
        held = meant.plan.held if meant is not None and meant.plan is not None else None
        if meant is None or held is None or await self._let_go(meant):
            return plan
        return replace(plan, said=decided_before(meant, held), takes_back=None)

    async def _verdict(self, state: RequestState, held: Held) -> CallVerdict:
        context = state.message.context_of_answer
        asked = CallForApproval(
            call_id=approval_of(state.request_id),
            request_id=state.request_id,
            server=ROUTE_SERVER,
            tool=ROUTE_TOOL,
            arguments=arguments_of(state, held),
            origin_butler=ROUTE_SERVER,
            channel=context.source_channel.value,
            sender=context.source_sender_identity,
        )
        claims = {"jti": str(asked.call_id)}
        answer = await self._targets.call(
            MESSENGER, ASK_TOOL, asked.to_wire(), claims=claims, timeout_s=ASK_TIMEOUT_S
        )
        return parse(CallVerdict, answer)

    async def _told(self, state: RequestState, held: Held, verdict: CallVerdict) -> bool:
        """Tell the writer who is asked, once, and record it; False if they have to be told later."""
        asked = replace(held, asked=verdict.asked or (held.owner,), until=verdict.expires_at)
        words, offer = told_words(asked), offer_to_take_back(state, asked)
        said = error_reply(
            state.message.context_of_answer, words, (ActionV1(id=offer.id, label=offer.label),)
        )
        if said is not None and not await self._said(state, said):
            return False
        await self._store.note_asked(state.request_id, asked, words)
        self._record(state, asked, "asked", f"waits for {asked.whom} to agree", "switchboard")
        return True

    async def _said(self, state: RequestState, said: NotifyRequestV1) -> bool:
        response = await self._notifier.send(said, purpose="held")
        if response.error is None or not response.error.retryable:
            return True
        return self._is_older(state, _TRY_FOR)

    async def _released(self, state: RequestState, held: Held, said_by: str | None) -> None:
        if not await self._store.release(state.request_id, held, said_by):
            return
        await reached_async(points.HELD_RELEASED)
        self._record(state, held, "approved", f"{said_by or held.whom} agreed", said_by)

    async def _settled(self, state: RequestState, held: Held, word: Word, said_by: str | None) -> None:
        if await self._store.settle(state.request_id, word, said_by):
            self._record(state, held, word.value, f"nobody gets it: {word.value}", said_by)

    async def _unheard(self, state: RequestState, held: Held, failure: ButlerError) -> float | None:
        error = failure.to_detail()
        _log.warning("held_unheard", request_id=str(state.request_id), why=error.message)
        if held.until is not None:
            over, word = self._clock.now() >= held.until + _TRY_FOR, Word.EXPIRED
        else:
            full = error.error_class is ErrorClass.OVERLOAD_REJECTED
            over = not (error.retryable or full) or self._is_older(state, _FULL_FOR if full else _TRY_FOR)
            word = Word.UNASKED
        if over:
            await self._settled(state, held, word, None)
            return None
        return max(_PAUSE_S, ask_again_in_s(state.message.context.received_at, self._clock.now()))

    async def _let_go(self, meant: RequestState) -> bool:
        """Withdraw what somebody was asked, if nobody has decided; its own worker tells Messenger."""
        if meant.plan is None or meant.plan.held is None or meant.concluded:
            return False
        if not await self._store.settle(meant.request_id, Word.WITHDRAWN, None):
            return False
        self._record(meant, meant.plan.held, "withdrawn", "its writer changed it or took it back", None)
        await self._wake(meant.request_id)
        return True

    def _is_older(self, state: RequestState, than: timedelta) -> bool:
        return self._clock.now() - state.message.context.received_at >= than

    def _record(self, state: RequestState, held: Held, what: str, summary: str, actor: str | None) -> None:
        butlers = ", ".join(dict.fromkeys(one.butler for one in held.targets))
        _log.info("held", request_id=str(state.request_id), butlers=butlers, word=what)
        self._audit.record(
            AuditEntry(
                butler="switchboard",
                actor=actor or "switchboard",
                operation=f"request.{what}",
                subject=str(state.request_id),
                summary=f"{butlers}: {summary}",
                result="ok",
                request_id=state.request_id,
            )
        )
