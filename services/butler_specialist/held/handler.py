"""Works on held calls under a lease: asks, makes an approved call once, reports the end (ADR 0101).

Invariants: the call uses the approved text, identified by its digest; a call is recorded before it is made, and a
recorded call is never made again: one that is recorded without a result is reported as possibly done. While
Switchboard or Messenger is away nothing is called.
"""

from __future__ import annotations

from typing import Final

from butler_contracts.call_approvals import CallAsked, CallVerdict, ask_again_in_s, digest_of
from butler_contracts.errors import ButlerError, ErrorDetail
from butler_kit.faults import points, reached_async
from butler_kit.queue import Decision, Defer, Finish, Finished, Lease, after_error
from butler_kit.runtime.fence import plain
from butler_kit.telemetry import bind_request, get_logger
from butler_specialist.held.decide import Ask, Call, Ended, Keep, Tell, next_step
from butler_specialist.held.model import Decided, HeldCall, Outcome, Verdict
from butler_specialist.held.store import HeldStore
from butler_specialist.held.telling import telling_of
from butler_specialist.outside.model import Said, ServerFault
from butler_specialist.outside.servers import ToolServers
from butler_specialist.work.switchboard import Switchboard

__all__ = ["HeldWorker"]

_log = get_logger(__name__)

_MOST_STEPS: Final = 6
_LONGEST_PAUSE_S: Final = 15.0
_SAID_CHARS: Final = 500


class HeldWorker:
    """The handler of the queue `held_call_work`; without `servers` no call is allowed."""

    def __init__(
        self, *, own_name: str, store: HeldStore, switchboard: Switchboard, servers: ToolServers | None
    ) -> None:
        self._own_name = own_name
        self._store = store
        self._switchboard = switchboard
        self._servers = servers

    async def process(self, lease: Lease) -> Decision:
        """Advance one call as far as it goes now.

        Raises `LeaseLost`, and the errors of an unavailable database.
        """
        for _ in range(_MOST_STEPS):
            call = await self._store.find(lease.item_id)
            if call is None:
                return Finish()
            with bind_request(call.request_id):
                decision = await self._step(call, lease)
            if decision is not None:
                return decision
        return Defer(_LONGEST_PAUSE_S)

    async def _step(self, call: HeldCall, lease: Lease) -> Decision | None:
        """Perform the next step; return None if the state has to be read again."""
        wish = call.wish
        allowed = self._servers is not None and self._servers.allows(wish.server, wish.tool)
        match next_step(call, allowed=allowed):
            case Ask():
                return await self._ask(call, lease)
            case Call():
                await self._call(call, lease)
            case Keep(outcome):
                await self._store.keep_outcome(lease, outcome)
            case Tell(last):
                return await self._tell(call, lease, last=last)
            case Ended():
                return Finish()
        return None

    async def _ask(self, call: HeldCall, lease: Lease) -> Decision | None:
        wish = call.wish
        asked = CallAsked(
            call_id=wish.call_id,
            request_id=call.request_id,
            server=wish.server,
            tool=wish.tool,
            arguments=wish.arguments,
        )
        try:
            heard = await self._switchboard.ask_approval(asked)
        except ButlerError as error:
            if error.retryable:
                _log.warning("approval_not_asked", call_id=str(wish.call_id), problem=error.message)
                return Defer(min(after_error(error, lease.attempt).delay_s, _LONGEST_PAUSE_S))
            _log.error("approval_refused", call_id=str(wish.call_id), problem=error.message)
            await self._store.decided(lease, Decided(Verdict.REFUSED), problem=error.message)
            return None
        if heard.state == "waiting":
            return Defer(ask_again_in_s(call.held_at, call.now))
        await self._store.decided(lease, _decided(heard, call))
        await reached_async(points.VERDICT_KEPT)
        return None

    async def _call(self, call: HeldCall, lease: Lease) -> None:
        if self._servers is None or not await self._store.begin(lease):
            return
        await reached_async(points.CALL_NOTED)
        wish = call.wish
        try:
            said = await self._servers.call(wish.server, wish.tool, call.args)
        except ServerFault as fault:
            _log.warning("approved_call_failed", call_id=str(wish.call_id), problem=fault.words)
            await self._store.keep_outcome(lease, _of_fault(fault))
            return
        await reached_async(points.CALL_ANSWERED)
        outcome = Outcome.FAILED if said.refused else Outcome.RETURNED
        await self._store.keep_outcome(lease, outcome, said=_words(said))
        await reached_async(points.CALL_KEPT)
        _log.info("approved_call_made", call_id=str(wish.call_id), outcome=outcome.value)

    async def _tell(self, call: HeldCall, lease: Lease, *, last: bool) -> Decision:
        request, problem = telling_of(call, own_name=self._own_name), None
        if request is not None:
            try:
                problem = (await self._switchboard.notify(request)).error
            except ButlerError as failure:
                problem = failure.to_detail()
            await reached_async(points.CALL_TOLD)
        if problem is not None and problem.retryable and not last:
            _log.warning("call_not_told", call_id=str(call.wish.call_id), problem=problem.message)
            return Defer(_pause_s(problem, lease))
        if problem is not None:
            _log.error("call_never_told", call_id=str(call.wish.call_id), problem=problem.message)
        await self._store.finish(lease, problem=problem.message if problem is not None else None)
        return Finished()

    async def give_up(self, lease: Lease, cause: BaseException) -> Decision:
        """End a call that nobody can work on (the queue's `on_exhausted`): it is not made."""
        why = cause.message if isinstance(cause, ButlerError) else type(cause).__name__
        _log.error("held_call_given_up", call_id=str(lease.item_id), cause=type(cause).__name__)
        await self._store.finish(lease, problem=why)
        return Finished()


def _decided(heard: CallVerdict, call: HeldCall) -> Decided:
    """Return the decision on exactly this text; an answer about any other is no approval."""
    if heard.arguments_digest != digest_of(call.wish.arguments):
        return Decided(Verdict.REFUSED)
    return Decided(Verdict(heard.state), heard.decided_by, heard.decided_ago_s or 0.0)


def _of_fault(fault: ServerFault) -> Outcome:
    if fault.sent is True:
        return Outcome.UNKNOWN
    return Outcome.FAILED if fault.sent is None else Outcome.UNSENT


def _words(said: Said) -> str | None:
    """Return the server's words as a person reads them, on one line."""
    return plain(said.text, most=_SAID_CHARS) or None


def _pause_s(problem: ErrorDetail, lease: Lease) -> float:
    return min(after_error(ButlerError.from_detail(problem), lease.attempt).delay_s, _LONGEST_PAUSE_S)
