"""How a request ended: lifecycle state, per-target outcomes, the joined reply (pure; SWB-08, SWB-16.3, SWB-31.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from butler_contracts.errors import ButlerError, ErrorClass, ErrorDetail
from butler_contracts.ingest import SourceChannel
from butler_contracts.language import Language
from butler_switchboard.dispatch.arbitration import Contradiction, contradictions_of, standings
from butler_switchboard.dispatch.disclosing import disclosed
from butler_switchboard.dispatch.failure_words import LET_GO, NOT_WORKABLE, failure_text, given_up_text
from butler_switchboard.dispatch.held import closing_words
from butler_switchboard.dispatch.model import JoinPolicy, Plan, RequestState, Subroute, SubrouteState
from butler_switchboard.dispatch.withdrawing import is_withdrawal

__all__ = [
    "Abandoned",
    "DeadEnd",
    "Outcome",
    "abandoned",
    "conclude",
    "failed_parts",
    "let_go",
    "parts_as_they_are",
    "reply_of",
    "unrouted_end",
]


@dataclass(frozen=True)
class DeadEnd:
    """The parts that failed beyond retry, and wait for an operator (SWB-32.1)."""

    parts: tuple[Subroute, ...]
    error: ErrorDetail

    @property
    def targets(self) -> list[str]:
        """The butlers that a replay would send it to."""
        return [part.target for part in self.parts]


@dataclass(frozen=True)
class Outcome:
    """The outcome that is written into the inbox once, at the end."""

    lifecycle_state: str
    error: ErrorDetail | None
    routing_output: dict[str, Any]
    dispatch_outcomes: list[dict[str, Any]]
    aggregated_reply: dict[str, Any] | None
    dead_end: DeadEnd | None = None
    replayed: bool = False
    reroutes: int = 0
    contradictions: tuple[Contradiction, ...] = ()

    @property
    def reopened(self) -> bool:
        """Whether an operator or a member had some of it done again, or by another butler."""
        return self.replayed or self.reroutes > 0


@dataclass(frozen=True)
class Abandoned:
    """The end of an unworkable request: `error` for the operator, `said` and `reply` for the person."""

    error: ErrorDetail
    said: str
    reply: str


def abandoned(
    request_id: UUID, cause: BaseException, *, attempts: int, language: Language = "en"
) -> Abandoned:
    """Return the end of a request after `attempts` defects, the last one `cause`; the request is not read.

    So `language` is the household's.
    """
    why = cause.message if isinstance(cause, ButlerError) else type(cause).__name__
    message = f"{NOT_WORKABLE}: {attempts} attempts failed, the last one by: {why}"
    error = ErrorDetail(error_class=ErrorClass.INTERNAL_ERROR, message=message, retryable=False)
    shown = error.model_copy(update={"message": NOT_WORKABLE})
    return Abandoned(error, NOT_WORKABLE, given_up_text(request_id, shown, language))


def let_go(request_id: UUID, language: Language = "en") -> Abandoned:
    """Return the end of a message, never routed, that made room for newer ones in a full tier (D79)."""
    error = ErrorDetail(error_class=ErrorClass.OVERLOAD_REJECTED, message=LET_GO, retryable=False)
    return Abandoned(error, LET_GO, given_up_text(request_id, error, language))


def unrouted_end(state: RequestState) -> ErrorDetail:
    """Return what people are told of a request that ended without a plan: let go, or not workable."""
    if state.message.ended_by == ErrorClass.OVERLOAD_REJECTED:
        return ErrorDetail(error_class=ErrorClass.OVERLOAD_REJECTED, message=LET_GO, retryable=False)
    return ErrorDetail(error_class=ErrorClass.INTERNAL_ERROR, message=NOT_WORKABLE, retryable=False)


def conclude(state: RequestState, usual: Language = "en") -> Outcome:
    """Join the branches: `parsed`, `errored` when a required branch failed, `recorded` when there was nothing to do.

    `usual` is the household's language, used if the message could be in several.
    """
    plan = _plan(state)
    latest = state.latest()
    failed = [item for item in latest if item.state is not SubrouteState.OK and _counts(plan, item, latest)]
    error = plan.error or (_joined_error(failed) if failed else None)
    said = closing_words(plan, state.message.text)
    lifecycle = "errored" if error else "parsed" if latest or said else "recorded"
    contradictions = contradictions_of(state)
    told = failure_text(state, failed, error, usual) if error is not None else None
    return Outcome(
        lifecycle_state=lifecycle,
        error=error,
        routing_output=_routing_output(plan),
        dispatch_outcomes=[_target_outcome(item, state.subroutes, contradictions) for item in latest],
        aggregated_reply=_aggregated_reply(state, latest, said, told, disclosed(contradictions)),
        dead_end=_dead_end(state, error),
        replayed=state.replayed,
        reroutes=state.message.reroutes,
        contradictions=contradictions,
    )


def parts_as_they_are(plan: Plan, state: RequestState) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the plan and the state of each part, for a request that is not ended by its parts."""
    return _routing_output(plan), [_target_outcome(item, state.subroutes) for item in state.latest()]


def failed_parts(state: RequestState) -> tuple[Subroute, ...]:
    """Return the branches that a replay sends again: those without success, unless another's success was enough.

    A branch whose target reported success after the end has had its effect; it is not done twice.
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
    """Return whether this failure makes the whole request fail."""
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
    said: str | None,
    failure: str | None,
    contradicted: str | None,
) -> dict[str, Any] | None:
    """Return the specialists' answers by part; on api and mcp this is the reply, with failures (D19, D20)."""
    parts = [{"butler": item.target, "reply": reply} for item in latest if (reply := reply_of(item))]
    answers_here = state.message.context.source_channel in (SourceChannel.API, SourceChannel.MCP)
    texts = [f"[{part['butler']}] {part['reply']}" for part in parts]
    if said is not None:
        texts.append(said)
    if answers_here:
        texts += [text for text in (contradicted, failure) if text is not None]
    if not parts and not texts:
        return None
    return {"text": "\n\n".join(texts), "parts": parts}


def reply_of(item: Subroute) -> str | None:
    """Return the answer in the part's result (D19), if there is one."""
    result = (item.response or {}).get("result")
    reply = result.get("reply") if isinstance(result, dict) else None
    return reply if isinstance(reply, str) and reply.strip() else None
