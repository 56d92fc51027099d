"""PURE: the life of a request as steps in chronological order, each in words.

Invariant: everything in the document about the request is told; simultaneous steps stay in the order of the
message's path.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final, Literal

from butler_cli.client.life import Call, DeadLetter, Life, Plan, Session, Signal, Subroute
from butler_cli.output import words
from butler_cli.output.moments import span, timestamp
from butler_cli.output.outside import called_step, held_steps
from butler_cli.output.screen import line_of
from butler_cli.output.step import Step
from butler_cli.output.told import delivery_steps, notification_steps
from butler_contracts.request_approvals import held_in_words

__all__ = ["steps_of"]


def steps_of(life: Life, *, now: datetime, program: str = "butlers") -> list[Step]:
    """Return every step, oldest first, then what is still open as of `now`; hints name verbs of `program`."""
    told = {delivery.delivery_id: delivery for delivery in life.deliveries}
    known = {notification.delivery_id for notification in life.notifications}
    steps = [
        *_admission(life),
        *(step for session in life.sessions for step in _session(session)),
        *(_plan(life.plan) if life.plan else ()),
        *(_call(call) for call in life.calls if _tells_more(call, life)),
        *(step for subroute in life.subroutes for step in _subroute(subroute, life)),
        *(
            step
            for item in life.notifications
            for step in notification_steps(item, told.get(item.delivery_id or ""))
        ),
        *(
            step
            for delivery in life.deliveries
            if delivery.delivery_id not in known
            for step in delivery_steps(delivery)
        ),
        *(called_step(call) for call in life.outside_calls),
        *(step for call in life.held_calls for step in held_steps(call)),
        *(_signal(signal) for signal in life.signals),
        *(_dead_letter(letter, program) for letter in life.dead_letters),
        *(_audit(life)),
        *(_contradictions(life)),
        *(_end(life)),
    ]
    return [*sorted(steps, key=lambda step: step.at), *_open(life, now)]


def _admission(life: Life) -> Iterator[Step]:
    source, decisions = life.source, life.decisions
    at = life.received_at
    own_thread = source.thread_identity in (None, source.sender_identity)
    thread = "" if own_thread else f", thread {source.thread_identity}"
    yield Step(
        at,
        "received",
        f"by {source.channel} from {source.sender_identity}{thread}, through connector {source.endpoint_identity}",
        notes=tuple(_received_notes(life)),
    )
    yield Step(at, "sender", words.sender(life))
    tone: Literal["plain", "warn"] = "plain" if decisions.reply_policy == "allow" else "warn"
    yield Step(at, "replies", words.replies(decisions), tone)
    yield Step(at, "triage", words.triage(decisions))
    yield (
        Step(at, "queued", f"in tier {decisions.policy_tier}")
        if decisions.ingestion_tier == "full"
        else Step(at, "queued", "not at all: only its subject is kept (tier metadata)")
    )
    for conflict in life.dedupe_conflicts:
        became = conflict.new_request_id
        yield Step(
            conflict.seen_at,
            "repeated",
            f"the same event came again with other content and became request {became}"
            if became
            else "the same event came again with other content; that was kept and not worked on",
            "warn",
            notes=tuple(_quoted(conflict.envelope)),
        )


def _received_notes(life: Life) -> Iterator[str]:
    if life.source.supersedes is not None:
        yield f"edits message {life.source.supersedes}"
    payload = life.envelope.get("payload")
    attachments = payload.get("attachments") if isinstance(payload, dict) else None
    if isinstance(attachments, list) and attachments:
        names = [
            str(item.get("filename") or item.get("media_type"))
            for item in attachments
            if isinstance(item, dict)
        ]
        yield f"attached: {', '.join(names)}"


def _quoted(envelope: dict[str, Any]) -> Iterator[str]:
    payload = envelope.get("payload")
    text = payload.get("normalized_text") if isinstance(payload, dict) else None
    if isinstance(text, str):
        yield f"“{line_of(text, limit=words.REPEATED_QUOTE_MAX)}”"


def _session(session: Session) -> Iterator[Step]:
    """Yield the step of a session that did not complete; a completed one is told by its decision."""
    if session.status == "completed":
        return
    who = "reading" if session.kind == "extract" else "deciding"
    if session.ended_at is None:
        yield Step(session.started_at, who, f"the {session.family} family was asked")
        return
    said = (session.error or {}).get("message")
    because = f": {said}" if said else ""
    yield Step(
        session.ended_at,
        who,
        f"the {session.family} family ended in {session.status}{because}",
        "warn",
    )


def _signal(signal: Signal) -> Step:
    words_of_it = line_of(signal.evidence, limit=words.REPEATED_QUOTE_MAX)
    said = f"{signal.signal_type} of {line_of(signal.subject)}: “{words_of_it}”"
    by = f"{signal.skill} {signal.skill_version}, confidence {signal.confidence:.2f}"
    return Step(signal.extracted_at, "found", said, notes=(by,))


def _plan(plan: Plan) -> Iterator[Step]:
    notes = [f"model {plan.model_version or '-'}, prompt {plan.prompt_version or '-'}{_tried(plan)}"]
    if plan.policy is not None:
        notes.append(_allowed(plan.policy))
    if plan.held is not None:
        notes.append(held_in_words(plan.held))
    if len(plan.targets) > 1:
        notes.append(f"{len(plan.targets)} parts, {words.order(plan.fanout_mode)}")
        notes += [
            f"{target.get('butler')} gets “{line_of(target.get('prompt'), limit=words.REPEATED_QUOTE_MAX)}”"
            for target in plan.targets
        ]
    tone: Literal["plain", "warn"] = "warn" if plan.fallback or not plan.targets else "plain"
    yield Step(plan.committed_at, "routed", words.routing(plan), tone, notes=tuple(notes))


def _allowed(policy: Mapping[str, Any]) -> str:
    """Return what the tier allowed when it was routed."""
    limits = (
        ("routing", "session_timeout_s"),
        ("acknowledging", "accept_timeout_s"),
        ("a run", "run_timeout_s"),
        ("trying", "patience_s"),
        ("trying an open circuit", "circuit_patience_s"),
    )
    said = [f"{what} {policy[key]:g} s" for what, key in limits if isinstance(policy.get(key), int | float)]
    return f"its tier allowed then: {', '.join(said)}; attempts: {policy.get('max_attempts', '-')}"


def _tried(plan: Plan) -> str:
    """Return which side of a rollout decided it, if there was one."""
    if plan.trial is None:
        return ""
    said = f", {plan.trial.get('arm')} of rollout {plan.trial.get('rollout')}"
    return f"{said}, whose model gave no answer" if plan.trial.get("unanswered") else said


def _tells_more(call: Call, life: Life) -> bool:
    """Whether a failed call tells more than its branch does; one that ended the branch is told there."""
    if call.success:
        return False
    ended = next((item for item in life.subroutes if item.subrequest_id == call.subrequest_id), None)
    return ended is None or ended.transport_tries > 1 or ended.error_message != call.error


def _call(call: Call) -> Step:
    return Step(
        call.created_at,
        call.target_butler,
        f"did not take it: {words.failure(call.error_class, call.error)}",
        "warn",
    )


def _subroute(item: Subroute, life: Life) -> Iterator[Step]:
    attempt = f", attempt {item.attempt}" if item.attempt > 1 else ""
    attempt += " (a replay)" if item.replay_of is not None else ""
    part = f" part {item.segment_id}" if life.plan and len(life.plan.targets) > 1 else ""
    if item.first_sent_at is not None:
        yield Step(item.first_sent_at, item.target, f"was sent{part or ' the message'}{attempt}")
    if item.accepted_at is not None:
        tries = f" at try {item.transport_tries}" if item.transport_tries > 1 else ""
        yield Step(item.accepted_at, item.target, f"accepted it{tries}")
    if item.started_at is not None:
        yield Step(item.started_at, item.target, "started to work")
    if item.finished_at is not None:
        yield _finished(item)


def _finished(item: Subroute) -> Step:
    at = item.finished_at or item.started_at
    assert at is not None  # noqa: S101 - called for finished ones only
    late = ("an answer that came after this was kept and not used",) if item.late_response else ()
    took = f" in {span(item.duration_ms / 1000)}" if item.duration_ms is not None else ""
    if item.state == "ok":
        return Step(at, item.target, f"finished{took}", "good", notes=(*_reply(item), *late))
    if item.state == "skipped":
        why = item.error_message
        said = f"was stopped: {why}" if why else "was not asked: an earlier part failed"
        return Step(at, item.target, said, "warn")
    why = words.failure(item.error_class, item.error_message).rstrip(".")
    again = "; it may be tried again" if item.retryable else ""
    return Step(at, item.target, f"failed{took}: {why}{again}", "bad", notes=late)


def _reply(item: Subroute) -> Iterator[str]:
    result = (item.response or {}).get("result")
    if not isinstance(result, dict):
        return
    reply = result.get("reply")
    if isinstance(reply, str):
        yield f"answered “{line_of(reply, limit=words.REPEATED_QUOTE_MAX)}”"
    records = result.get("records")
    if isinstance(records, int) and records:
        yield "1 record kept" if records == 1 else f"{records} records kept"
    family, why = result.get("runtime"), result.get("runtime_reason")
    if isinstance(family, str) and isinstance(why, str):
        yield words.stood_in(line_of(family), line_of(why))


_STANDINGS: Final = {"won": "counts", "lost": "does not count", "undecided": "is told beside the others"}


def _contradictions(life: Life) -> Iterator[Step]:
    """Yield which answer counts where two contradict each other, and by what."""
    for part in life.dispatch_outcomes or ():
        for claim in part.claims:
            by = f", by {claim.decided_by}" if claim.decided_by is not None else ""
            said = f"contradicts another: {line_of(claim.subject)} is {line_of(claim.value)}; "
            standing = _STANDINGS.get(claim.standing, claim.standing)
            at = life.final_state_at or life.received_at
            yield Step(at, part.target_butler, f"{said}this {standing}{by}", "warn")


def _dead_letter(letter: DeadLetter, program: str) -> Step:
    """Return the step of a dead letter; the audit tells what the operator did with it."""
    notes = (
        (f"`{program} replay {letter.dead_letter_id} --reason TEXT` sends the failed parts again",)
        if letter.state == "open" and letter.targets
        else ()
    )
    return Step(letter.created_at, "kept", f"as dead letter {letter.dead_letter_id}", "bad", notes=notes)


def _audit(life: Life) -> Iterator[Step]:
    for entry in life.audit:
        reason = f" ({entry.reason})" if entry.reason else ""
        yield Step(
            entry.at,
            "audit",
            f"{entry.actor}: {entry.operation}: {entry.summary}{reason}: {entry.result}",
            "dim",
        )


def _end(life: Life) -> Iterator[Step]:
    if life.final_state_at is not None:
        said, tone = words.ending(life)
        yield Step(life.final_state_at, "end", said, tone)


def _open(life: Life, now: datetime) -> Iterator[Step]:
    """Yield what is still to come."""
    for item in life.subroutes:
        if item.finished_at is not None:
            continue
        if item.next_try_at is not None and item.transport_tries:
            yield Step(
                now, item.target, f"is tried again at {timestamp(item.next_try_at.isoformat())}", "warn"
            )
        elif item.deadline_at is not None:
            until = timestamp(item.deadline_at.isoformat())
            yield Step(now, item.target, f"still works on it; has until {until}", "warn")
        else:
            yield Step(now, item.target, "waits for its turn", "warn")
    work = life.work
    if work is not None and life.final_state_at is None and life.plan is None:
        doing = "is being worked on" if work.leased else "waits"
        yield Step(now, "now", f"{doing} in the queue ({work.lane}), for {span(work.waiting_s)}", "warn")
    elif work is not None and life.final_state_at is not None:
        yield Step(now, "now", "the sender is still to be told", "warn")
