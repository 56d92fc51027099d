"""Performs the steps of routed work under a lease, until nothing is left or it has to wait (CON-4.4, SWB-17.3).

Invariant: every step is decided from the stored state alone, as its writer returned it or as it is read again, so a
crash between two steps repeats nothing: no second session after an outcome or a call outside, no second record, no
second answer. Outages are waited out; anything else that goes wrong ends the subrequest with a typed error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from butler_contracts.errors import ButlerError, ErrorDetail, InternalFailure, TargetUnavailable, TimedOut
from butler_contracts.notify import NotifyRequestV1, NotifyResponseV1
from butler_contracts.route import RouteResponseV1
from butler_kit.faults import points, reached_async
from butler_kit.queue import (
    Decision,
    Defer,
    Finish,
    Finished,
    Lease,
    LeaseLost,
    Unblock,
    after_error,
    after_outage,
)
from butler_kit.telemetry import SpanName, bind_request, get_logger, span
from butler_specialist.metrics import RouteMetrics
from butler_specialist.store.inbox import RouteInbox
from butler_specialist.store.model import Outcome, RoutedWork
from butler_specialist.work.answers import abandoned_response, failed, terminal_response
from butler_specialist.work.booking import BookedAnswers, with_booking
from butler_specialist.work.decide import (
    PATIENCE,
    Book,
    Close,
    Complete,
    Ended,
    Fail,
    Meet,
    Run,
    Tell,
    TellOther,
    keeps_order,
    next_step,
    offered_again_in_s,
    run_again_in_s,
)
from butler_specialist.work.inviting import Invitations
from butler_specialist.work.outside import CallsOutside
from butler_specialist.work.pressing import Presses
from butler_specialist.work.scheduled import ScheduledRuns
from butler_specialist.work.session import Sessions
from butler_specialist.work.switchboard import Switchboard
from butler_specialist.work.tellings import with_report

__all__ = ["RouteWorker"]

_log = get_logger(__name__)

_MOST_STEPS: Final = 12


class RouteWorker:
    """The queue's handler: `process` works on one row."""

    def __init__(
        self,
        *,
        own_name: str,
        inbox: RouteInbox,
        sessions: Sessions,
        presses: Presses,
        invitations: Invitations,
        calls: CallsOutside,
        runs: ScheduledRuns,
        booked: BookedAnswers,
        switchboard: Switchboard,
        metrics: RouteMetrics,
        written: Callable[[Outcome], object],
    ) -> None:
        self._own_name = own_name
        self._inbox = inbox
        self._sessions = sessions
        self._presses = presses
        self._invitations = invitations
        self._calls = calls
        self._runs = runs
        self._booked = booked
        self._switchboard = switchboard
        self._metrics = metrics
        self._written = written

    async def process(self, lease: Lease) -> Decision:
        """Work on the row as far as it can go now.

        Raises `LeaseLost`, and the errors of an unavailable database.
        """
        work = await self._inbox.find(lease.item_id)
        if work is None:
            return Finish()
        with bind_request(work.request_id), span(SpanName.ROUTE_PROCESS, butler=self._own_name):
            for _ in range(_MOST_STEPS):
                left = await self._step(work, lease)
                if left is not None and not isinstance(left, RoutedWork):
                    return left
                work = left or await self._inbox.find(lease.item_id)
                if work is None:
                    return Finish()
        stuck = InternalFailure(f"{_MOST_STEPS} steps changed nothing")
        _log.error("work_does_not_advance", subrequest_id=str(work.subrequest_id), steps=_MOST_STEPS)
        return after_error(stuck, lease.attempt)

    async def _step(self, work: RoutedWork, lease: Lease) -> Decision | RoutedWork | None:
        """Perform the next step.

        Return the decision that ends the turn, the state after the step, or None if the state has to be read again.
        """
        match next_step(work):
            case Meet() as meet:
                return await self._runs.meet(work, lease, meet)
            case Run():
                return await self._run(work, lease)
            case Fail(error):
                called = await self._calls.outcome(work) if _may_have_called(work) else None
                return await self._runs.commit(lease, work, called or failed(error))
            case Tell() as tell:
                return await self._tell(work, lease, tell)
            case TellOther() as tell:
                return await self._tell_other(work, lease, tell)
            case Book():
                said = await self._booked.said_of(work)
                return await self._inbox.keep_booking(lease, work, said)
            case Complete(last):
                return await self._complete(work, lease, last=last)
            case Close():
                return await self._finish(lease, None, failed=work.error is not None)
            case Ended():
                return Finish()

    async def _run(self, work: RoutedWork, lease: Lease) -> Decision | RoutedWork | None:
        if await self._inbox.begin(lease) is None:
            return None
        ended = await self._started(work) == "ended"
        broken_off = await self._calls.outcome(work, late=ended) if _may_have_called(work) else None
        if ended and broken_off is None:
            # The sender was told that it was given up, so a message sent again must not be done twice.
            return await self._runs.commit(lease, work, failed(_given_up(self._own_name)))
        await reached_async(points.WORK_STARTED)
        try:
            outcome = (
                await self._inbox.earlier_outcome(work) or broken_off or await self._outcome(work, lease)
            )
            await reached_async(points.SESSION_ENDED)
            committed = await self._runs.commit(lease, work, outcome)
            await reached_async(points.OUTCOME_COMMITTED)
            self._written(outcome)
            return committed
        except LeaseLost:
            raise
        except ButlerError as error:
            if error.retryable:
                return _run_again(work, lease, error)
            return await self._runs.commit(lease, work, failed(error.to_detail()))
        except Exception:
            _log.exception("work_failed", subrequest_id=str(work.subrequest_id))
            problem = InternalFailure(f"{self._own_name} failed on this message; its log has the reason")
            return await self._runs.commit(lease, work, failed(problem.to_detail()))

    async def _started(self, work: RoutedWork) -> str:
        """Report the start to Switchboard, which has no clock for scheduled work."""
        return await self._switchboard.started(work) if work.scheduled is None else "ignored"

    async def _outcome(self, work: RoutedWork, lease: Lease) -> Outcome:
        """Return the outcome of the work, without a session for an invitation or a press.

        A message that an edit has overtaken records nothing.
        """
        decided = await self._invitations.outcome(work) or await self._presses.outcome(work)
        if decided is not None:
            return decided
        if await self._inbox.overtaken(work):
            return self._sessions.overtaken(work)
        try:
            outcome = await self._sessions.run(work, lease)
        except ButlerError:
            if (broken_off := await self._calls.outcome(work)) is not None:
                return broken_off
            raise
        if outcome.error is None:
            return outcome
        return await self._calls.outcome(work) or outcome

    async def _tell_other(
        self, work: RoutedWork, lease: Lease, tell: TellOther
    ) -> Decision | RoutedWork | None:
        response = await self._handed_over(work, tell.request)
        error = response.error
        if error is not None and error.retryable and not tell.last:
            _log.warning("telling_put_off", problem=error.message)
            await self._started(work)
            return _wait(work, lease, ButlerError.from_detail(error))
        if error is not None:
            _log.warning("telling_refused", error_class=error.error_class.value, problem=error.message)
        return await self._inbox.keep_telling_response(lease, work, tell.place, _kept(response))

    async def _handed_over(self, work: RoutedWork, request: NotifyRequestV1) -> NotifyResponseV1:
        try:
            response = await self._switchboard.notify(request)
            await reached_async(points.ANSWER_TOLD)
        except ButlerError as failure:
            return _refused(failure.to_detail())
        except Exception:
            _log.exception("answer_failed", subrequest_id=str(work.subrequest_id))
            return _refused(InternalFailure("the answer could not be handed over").to_detail())
        return response

    async def _tell(self, work: RoutedWork, lease: Lease, tell: Tell) -> Decision | RoutedWork | None:
        response = await self._handed_over(
            work, with_report(with_booking(tell.request, work.booking), work.tellings)
        )
        error = response.error
        if error is not None and error.retryable and not tell.last:
            _log.warning("answer_put_off", problem=error.message)
            await self._started(work)  # the answer is ready: restart the run clock
            return _wait(work, lease, ButlerError.from_detail(error))
        if work.notify_fallback is not None and _unreachable(response):
            await self._inbox.use_fallback(lease)
            return None
        if error is not None:
            _log.warning("answer_refused", error_class=error.error_class.value, problem=error.message)
        told = await self._inbox.keep_notify_response(lease, work, _kept(response))
        await reached_async(points.ANSWER_KEPT)
        return told

    async def _complete(self, work: RoutedWork, lease: Lease, *, last: bool) -> Decision | None:
        told = await self._tell_the_end(terminal_response(work))
        if isinstance(told, ButlerError) and not last:
            return _wait(work, lease, told)
        return await self._finish(lease, told, failed=work.error is not None)

    async def give_up(self, lease: Lease, cause: BaseException) -> Decision:
        """End a subrequest that nobody can work on (the queue's `on_exhausted`) and tell Switchboard.

        A Switchboard that cannot take it is waited for as for any other end; the thread goes on meanwhile.
        """
        why = cause.message if isinstance(cause, ButlerError) else type(cause).__name__
        problem = InternalFailure(f"{self._own_name} could not work on this message: {why}")
        end = await self._calls.given_up(lease.item_id) or problem.to_detail()
        abandoned = await self._inbox.abandon(lease, end)
        if abandoned is None:
            return Finish()
        _log.error("work_given_up", subrequest_id=str(lease.item_id), cause=type(cause).__name__)
        told = await self._tell_the_end(abandoned_response(abandoned))
        if isinstance(told, ButlerError) and abandoned.now - abandoned.outcome_at < PATIENCE:
            return Unblock(after_outage(told, lease.attempt).delay_s)
        return await self._finish(lease, told, failed=True, more=("given_up",))

    async def _tell_the_end(self, response: RouteResponseV1) -> ButlerError | str | None:
        """Report the end; return an error that is worth a retry, or else the tag for the row."""
        try:
            status = await self._switchboard.complete(response)
            await reached_async(points.WORK_COMPLETED)
            return None if status == "recorded" else f"completion_{status}"
        except ButlerError as error:
            if error.retryable:
                return error
            _log.warning("completion_refused", problem=error.message)
            return "completion_refused"
        except Exception:
            _log.exception("completion_failed", subrequest_id=str(response.subrequest_id))
            return "completion_failed"

    async def _finish(
        self, lease: Lease, told: ButlerError | str | None, *, failed: bool, more: tuple[str, ...] = ()
    ) -> Decision:
        if isinstance(told, ButlerError):
            _log.warning("completion_refused", problem=told.message)
            told = "completion_unacknowledged"
        await self._inbox.finish(lease, tags=(*more, *((told,) if told else ())))
        self._metrics.ended()
        _log.info("route_finished", subrequest_id=str(lease.item_id), failed=failed)
        return Finished()


def _may_have_called(work: RoutedWork) -> bool:
    """Return whether a session ran before on this part of a message."""
    return work.runs > 0 or work.envelope.subrequest.attempt > 1


def _given_up(own_name: str) -> ErrorDetail:
    message = f"{own_name} had not done it when its time was over; nothing was noted"
    return TimedOut(message, retryable=False).to_detail()


def _run_again(work: RoutedWork, lease: Lease, error: ButlerError) -> Decision:
    """Retry the session; the retries of a schedule are spread over its grace."""
    again = after_error(error, lease.attempt)
    if work.scheduled is None:
        return again
    return Defer(max(run_again_in_s(work.scheduled, work.runs), error.retry_after_s or 0.0))


def _wait(work: RoutedWork, lease: Lease, error: ButlerError) -> Decision:
    """Come back later; the thread waits for an answer, but not for ever.

    A provider's own pause (D43) ends for everyone at a known moment: work that left the queue would overtake work
    that waited its turn (MSG-10).
    """
    put_off_s = after_error(error, lease.attempt).delay_s
    delay_s = offered_again_in_s(work, put_off_s, asked=error.retry_after_s is not None)
    if not keeps_order(work) and not _is_pause(error):
        return Unblock(delay_s)
    return Defer(delay_s)


def _is_pause(error: ButlerError) -> bool:
    return isinstance(error, TargetUnavailable) and error.retry_after_s is not None


def _refused(error: ErrorDetail) -> NotifyResponseV1:
    return NotifyResponseV1(status="error", error=error)


def _unreachable(response: NotifyResponseV1) -> bool:
    """Return whether the person has no address on this channel, or the channel does not exist."""
    if response.delivery is not None and response.delivery.state == "pending_missing_identifier":
        return True
    return response.error is not None and response.error.error_class.value == "validation_error"


def _kept(response: NotifyResponseV1) -> dict[str, Any]:
    """Return the part of the response that the completion repeats."""
    kept: dict[str, Any] = {"status": response.status}
    if response.delivery is not None:
        kept |= {
            "channel": response.delivery.channel,
            "delivery_id": response.delivery.delivery_id,
            "state": response.delivery.state,
        }
    if response.error is not None:
        kept["error"] = response.error.model_dump(mode="json", by_alias=True)
    return kept
