"""How a request ended: lifecycle state, per-target outcomes, the joined reply (pure; SWB-08, SWB-16.3, SWB-31.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from butler_contracts.budgets import ends_a_budget
from butler_contracts.errors import ButlerError, ErrorClass, ErrorDetail
from butler_contracts.ingest import SourceChannel
from butler_contracts.uncertain import is_uncertain
from butler_switchboard.dispatch.arbitration import Contradiction, contradictions_of, standings
from butler_switchboard.dispatch.disclosing import disclosed
from butler_switchboard.dispatch.model import JoinPolicy, Plan, RequestState, Subroute, SubrouteState
from butler_switchboard.dispatch.withdrawing import is_withdrawal

__all__ = [
    "NOT_WORKABLE",
    "Abandoned",
    "DeadEnd",
    "Outcome",
    "abandoned",
    "conclude",
    "failed_parts",
    "failure_text",
    "let_go",
    "parts_as_they_are",
    "reply_of",
    "unrouted_end",
]

NOT_WORKABLE: Final = "it could not be worked on"
LET_GO: Final = "too many messages were waiting, and this was one of the oldest"


@dataclass(frozen=True)
class DeadEnd:
    """What failed beyond retry, and waits for an operator (SWB-32.1)."""

    parts: tuple[Subroute, ...]
    error: ErrorDetail

    @property
    def targets(self) -> list[str]:
        """Whom a replay would send it to."""
        return [part.target for part in self.parts]


@dataclass(frozen=True)
class Outcome:
    """What is written into the inbox once, at the end."""

    lifecycle_state: str
    error: ErrorDetail | None
    routing_output: dict[str, Any]
    dispatch_outcomes: list[dict[str, Any]]
    aggregated_reply: dict[str, Any] | None
    dead_end: DeadEnd | None = None
    replayed: bool = False
    reroutes: int = 0
    contradictions: tuple[Contradiction, ...] = ()


@dataclass(frozen=True)
class Abandoned:
    """How a request ends that nobody can work on: `error` for the operator, `said` and `reply` for the person."""

    error: ErrorDetail
    said: str
    reply: str


def abandoned(request_id: UUID, cause: BaseException, *, attempts: int) -> Abandoned:
    """The end of a request after `attempts` defects, the last of which was `cause`; nothing of it is read."""
    why = cause.message if isinstance(cause, ButlerError) else type(cause).__name__
    message = f"{NOT_WORKABLE}: {attempts} attempts failed, the last one by: {why}"
    error = ErrorDetail(error_class=ErrorClass.INTERNAL_ERROR, message=message, retryable=False)
    shown = error.model_copy(update={"message": NOT_WORKABLE})
    return Abandoned(error, NOT_WORKABLE, "\n".join((_not_done(shown), _kept_as(request_id))))


def let_go(request_id: UUID) -> Abandoned:
    """The end of a message that made room for newer ones while its tier was full (D79). It was never routed."""
    error = ErrorDetail(error_class=ErrorClass.OVERLOAD_REJECTED, message=LET_GO, retryable=False)
    return Abandoned(error, LET_GO, "\n".join((_not_done(error), _kept_as(request_id))))


def unrouted_end(state: RequestState) -> ErrorDetail:
    """What people are told of a request that ended without a plan: it was let go, or nobody could work on it."""
    if state.message.ended_by == ErrorClass.OVERLOAD_REJECTED:
        return ErrorDetail(error_class=ErrorClass.OVERLOAD_REJECTED, message=LET_GO, retryable=False)
    return ErrorDetail(error_class=ErrorClass.INTERNAL_ERROR, message=NOT_WORKABLE, retryable=False)


def conclude(state: RequestState) -> Outcome:
    """Join the branches: `parsed`, `errored` when a required branch failed, `recorded` when there was nothing to do."""
    plan = _plan(state)
    latest = state.latest()
    failed = [item for item in latest if item.state is not SubrouteState.OK and _counts(plan, item, latest)]
    error = plan.error or (_joined_error(failed) if failed else None)
    lifecycle = "errored" if error else "parsed" if latest or plan.said else "recorded"
    contradictions = contradictions_of(state)
    return Outcome(
        lifecycle_state=lifecycle,
        error=error,
        routing_output=_routing_output(plan),
        dispatch_outcomes=[_target_outcome(item, state.subroutes, contradictions) for item in latest],
        aggregated_reply=_aggregated_reply(state, latest, failed, error, disclosed(contradictions)),
        dead_end=_dead_end(state, error),
        replayed=state.replayed,
        reroutes=state.message.reroutes,
        contradictions=contradictions,
    )


def parts_as_they_are(plan: Plan, state: RequestState) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The plan and what has become of each part, for a request that is not ended by its parts."""
    return _routing_output(plan), [_target_outcome(item, state.subroutes) for item in state.latest()]


def failed_parts(state: RequestState) -> tuple[Subroute, ...]:
    """The branches that a replay sends again: those without success, unless another one's success was enough.

    One whose target answered well after the end has had its effect; it is not done twice.
    """
    plan, latest = _plan(state), state.latest()
    if plan.join_policy is JoinPolicy.ANY and any(item.state is SubrouteState.OK for item in latest):
        return ()
    return tuple(
        item
        for item in latest
        if item.state in (SubrouteState.ERROR, SubrouteState.SKIPPED) and not item.late_ok
    )


def _dead_end(state: RequestState, error: ErrorDetail | None) -> DeadEnd | None:
    parts = failed_parts(state)
    if error is None and not parts:
        return None
    return DeadEnd(parts, error or _joined_error(list(parts)))


def _plan(state: RequestState) -> Plan:
    if state.plan is None:
        raise ValueError(f"request {state.request_id} cannot end before it was routed")
    return state.plan


def _counts(plan: Plan, failed: Subroute, latest: tuple[Subroute, ...]) -> bool:
    """Whether this failure makes the whole fail."""
    if is_withdrawal(failed):
        return True
    if plan.join_policy is JoinPolicy.ANY:
        return not any(item.state is SubrouteState.OK for item in latest)
    return plan.target_at(failed.position).required


def _joined_error(failed: list[Subroute]) -> ErrorDetail:
    first = next((item.error for item in failed if item.error is not None), None)
    error_class = first.error_class if first else ErrorClass.INTERNAL_ERROR
    named = "; ".join(
        f"{item.target}: {item.error.message if item.error else 'skipped after an earlier failure'}"
        for item in failed
    )
    return ErrorDetail(error_class=error_class, message=named, retryable=bool(first and first.retryable))


def _routing_output(plan: Plan) -> dict[str, Any]:
    return {
        "targets": [
            {
                "butler": item.butler,
                "segment_id": item.segment_id,
                "prompt": item.prompt,
                "segment": item.segment,
            }
            for item in plan.targets
        ],
        "family": plan.family,
        "model_version": plan.model_version,
        "prompt_version": plan.prompt_version,
        "decided_by": plan.decided_by,
        "confidence": plan.confidence,
        "fallback": plan.fallback,
        "reason": plan.reason,
        "fanout_mode": plan.fanout_mode.value,
        "join_policy": plan.join_policy.value,
        "abort_policy": plan.abort_policy.value,
    }


def _target_outcome(
    item: Subroute, attempts: tuple[Subroute, ...], contradictions: tuple[Contradiction, ...] = ()
) -> dict[str, Any]:
    error, claims = item.error, standings(contradictions, item.subrequest_id)
    return {
        "target_butler": item.target,
        "segment_id": item.segment_id,
        "subrequest_id": str(item.subrequest_id),
        "status": item.state.value,
        "attempts": sum(1 for one in attempts if one.position == item.position),
        "duration_ms": item.duration_ms,
        "error_class": error.error_class.value if error else None,
        "error_original_class": error.original_class if error else None,
        "error_message": error.message if error else None,
        **({"claims": claims} if claims else {}),
    }


def _aggregated_reply(
    state: RequestState,
    latest: tuple[Subroute, ...],
    failed: list[Subroute],
    error: ErrorDetail | None,
    contradicted: str | None,
) -> dict[str, Any] | None:
    """What the specialists answered, by part; on api and mcp it is the answer, failures included (D19, D20)."""
    parts = [{"butler": item.target, "reply": reply} for item in latest if (reply := reply_of(item))]
    answers_here = state.message.context.source_channel in (SourceChannel.API, SourceChannel.MCP)
    texts = [f"[{part['butler']}] {part['reply']}" for part in parts]
    if state.plan is not None and state.plan.said is not None:
        texts.append(state.plan.said)
    if answers_here and contradicted is not None:
        texts.append(contradicted)
    if answers_here and error is not None:
        texts.append(failure_text(state, failed, error))
    if not parts and not texts:
        return None
    return {"text": "\n\n".join(texts), "parts": parts}


def reply_of(item: Subroute) -> str | None:
    """The answer that is in the part's result (D19), if there is one."""
    result = (item.response or {}).get("result") or {}
    reply = result.get("reply")
    return reply if isinstance(reply, str) and reply.strip() else None


_ADVICE: Final[dict[ErrorClass, str]] = {
    ErrorClass.TIMEOUT: "It may still answer late; if not, send this part again.",
    ErrorClass.TARGET_UNAVAILABLE: "It is not running at the moment; send this part again in a few minutes.",
    ErrorClass.OVERLOAD_REJECTED: "It has too much to do at the moment; send this part again later.",
    ErrorClass.VALIDATION_ERROR: "It cannot work with this; please say it differently.",
    ErrorClass.ROUTING_ERROR: "No butler that could take it is running; send it again in a few minutes.",
    ErrorClass.CLASSIFICATION_ERROR: "I could not tell who should take it; please say it differently.",
    ErrorClass.INTERNAL_ERROR: "Something broke on our side; the household's operator can see it under this number.",
}


def failure_text(state: RequestState, failed: list[Subroute], error: ErrorDetail) -> str:
    """What a person reads when (part of) a message failed: what worked, what did not, what to do (SWB-08.3)."""
    worked = [item.target for item in state.latest() if item.state is SubrouteState.OK]
    lines: list[str] = []
    if worked:
        lines.append(f"Done: {', '.join(worked)}.")
    for item in failed:
        detail = item.error
        if item.state is SubrouteState.SKIPPED:
            lines.append(_not_tried(item, state.latest()))
            continue
        if detail is not None and (ends_a_budget(detail) or is_uncertain(detail)):
            what = "Perhaps done" if is_uncertain(detail) else "Not done"
            lines.append(f"{what}: {item.target}: {detail.message}")
            continue
        of = detail or error
        lines.append(
            f"Not done: {item.target} ({of.error_class.value}): {of.message}. {_ADVICE[of.error_class]}"
        )
    if not failed:
        lines.append(_not_done(error))
    lines.append(_kept_as(state.request_id))
    return "\n".join(lines)


def _not_tried(skipped: Subroute, latest: tuple[Subroute, ...]) -> str:
    """What is said of a part that waited for one in vain: which one, and what may be done."""
    failed = [
        one.target for one in latest if one.position < skipped.position and one.state is SubrouteState.ERROR
    ]
    because = (
        f"it was to wait for {failed[-1]}, which did not succeed" if failed else "an earlier part failed"
    )
    advice = "Send this part again if you want it all the same."
    return f"Not done: {skipped.target}: not tried, because {because}. {advice}"


def _not_done(error: ErrorDetail) -> str:
    return f"Not done ({error.error_class.value}): {error.message}. {_ADVICE[error.error_class]}"


def _kept_as(request_id: UUID) -> str:
    return f"Your message is kept; its number is {request_id}."
