"""A request's path as chronological steps in words, from the provider's update to its receipt (pure).

Invariant: everything known about the request is shown; simultaneous steps keep their order along the path.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from butler_dashboard.pages import words
from butler_dashboard.pages.moments import seconds_between, span
from butler_dashboard.reads.delivery_models import Attempt, DeliveryDetail
from butler_dashboard.reads.request_models import Notification, Plan, RequestLife, Subroute

__all__ = ["Step", "steps_of"]

_PROVIDERS: Final = {"telegram": "Telegram", "email": "Mail server", "api": "Submitter", "mcp": "Submitter"}
_BY_OPERATOR: Final = {"cancelled": "cancelled", "force_completed": "declared done"}
_TRIAGE: Final = {
    "route_to": "it goes to {target}, whatever it says",
    "low_priority_queue": "it may wait until everything else is done",
    "pass_through": "it goes the usual way",
    "metadata_only": "only its subject is kept, and no butler gets it",
    "skip": "it is recorded, and no butler gets it",
}
_REPLIES: Final = {
    "allow": "the sender may be answered",
    "owner": "the sender is never answered; what a butler makes of it goes to the owner",
}
_REASONS: Final = {
    "routed": "sure enough of the subject",
    "policy": "a rule of the household says so",
    "ambiguous": "not sure enough of any subject",
    "empty_text": "there is no text to route",
    "classification_failed": "the decision failed",
    "invalid_output": "the decision made no sense",
    "ineligible_target": "the target may get nothing at the moment",
    "learned": "like what members corrected",
    "learned_rule": "a rule that its writer agreed to after corrections",
    "edit_of": "it edits a message, and is for whoever had that",
    "edit_of_finished": "a stranger edits a message that is finished",
    "edit_out_of_reach": "who had the message before the edit may get nothing at the moment",
    "edit_without_change": "the edit changes no word",
    "outside_backfill": "not asked for by the backfill",
    "asked_of_memories": "all that remember are asked what they know of the sender",
    "forgotten_by_all": "all that remember forget what they know of the sender",
}
_ALLOWED: Final = (
    ("routing", "session_timeout_s"),
    ("acknowledging", "accept_timeout_s"),
    ("a run", "run_timeout_s"),
    ("trying", "patience_s"),
    ("trying an open circuit", "circuit_patience_s"),
)


@dataclass(frozen=True, slots=True)
class Step:
    """At `at`, `who` did `said`; `tone` is good, bad, warn or plain; an `open` step is unfinished."""

    at: datetime
    who: str
    said: str
    tone: str = "plain"
    notes: tuple[str, ...] = ()
    quote: str | None = None
    open: bool = False


def steps_of(life: RequestLife, now: datetime) -> list[Step]:
    """Return every step, oldest first; open ones come last, as of `now`."""
    steps = [
        *_arrival(life),
        *_routing(life),
        *(step for item in life.subroutes for step in _subroute(item, life)),
        *_told(life),
        *_afterwards(life),
        *_end(life),
    ]
    return [*sorted(steps, key=lambda step: step.at), *_open(life, now)]


def _arrival(life: RequestLife) -> Iterator[Step]:
    source, decisions = life.source, life.decisions
    provider = _PROVIDERS.get(source.channel, source.channel)
    if source.observed_at is not None and source.observed_at <= life.received_at:
        yield Step(source.observed_at, provider, f"has the message of {source.sender_identity}")
    notes = [f"as event {source.event_id}"]
    if source.thread_identity not in (None, source.sender_identity):
        notes.append(f"in thread {source.thread_identity}")
    if source.supersedes is not None:
        notes.append(f"it edits message {source.supersedes}")
    yield Step(life.received_at, "Connector", f"{source.endpoint_identity} handed it in", notes=tuple(notes))
    policy = _REPLIES.get(decisions.reply_policy)
    if policy is None:
        policy = "a machine wrote it, so nobody is told" if decisions.automatic else "nobody is told of it"
    sender = "the household" if decisions.sender_class == "household" else "a stranger"
    yield Step(life.received_at, "Switchboard", f"accepted it from {sender}", notes=(policy, *_triage(life)))


def _triage(life: RequestLife) -> Iterator[str]:
    decisions = life.decisions
    if decisions.triage_rule_id is not None:
        action = decisions.triage_decision or "pass_through"
        said = _TRIAGE.get(action, action).format(target=decisions.triage_target or "its target")
        yield f"rule {decisions.triage_rule_id} ({decisions.triage_rule_type}): {said}"
    kept_only = decisions.ingestion_tier != "full"
    yield "only its subject is kept" if kept_only else f"queued in tier {decisions.policy_tier}"
    if life.backfill_job_id is not None:
        yield f"read by backfill {life.backfill_job_id}"
    if life.dedupe_conflicts:
        yield f"came again with other content, {life.dedupe_conflicts} times"


def _routing(life: RequestLife) -> Iterator[Step]:
    for session in life.sessions:
        if session.status == "completed":
            continue
        at, what = session.started_at, "was asked"
        if session.ended_at is not None:
            at, what = session.ended_at, f"ended in {session.status}"
        yield Step(at, "Routing", f"the {session.family} family {what}", "warn")
    if life.plan is not None:
        yield _planned(life.plan)


_ORDERS: Final = {
    "ordered": "one after another",
    "conditional": "one after another, each only if the one before it succeeded",
}


def _planned(plan: Plan) -> Step:
    names = [target.butler for target in plan.targets]
    whither = f"to {' and '.join(filter(None, (', '.join(names[:-1]), names[-1])))}" if names else "to nobody"
    by_rule = plan.decided_by == "policy"
    sure = f", {plan.confidence:.0%} sure" if plan.confidence is not None and not by_rule else ""
    name, _, detail = plan.reason.partition(":")
    because = _REASONS.get(name, name.replace("_", " "))
    if detail:
        because += f" ({detail.replace('_', ' ')})"
    decider = "the household's policy" if by_rule else f"the {plan.family} family"
    notes = [because, f"decided by {decider}{sure}; model {plan.model_version or '–'}"]
    if plan.policy is not None:
        notes.append(_policy(plan.policy))
    if plan.held is not None:
        notes.append(plan.held)
    if len(plan.targets) > 1:
        notes += [f"{target.butler} gets “{target.prompt}”" for target in plan.targets if target.prompt]
        notes += [_ORDERS[plan.fanout_mode]] if plan.fanout_mode in _ORDERS else []
    tone = "warn" if plan.fallback or not names else "plain"
    return Step(plan.committed_at, "Switchboard", f"routed it {whither}", tone, tuple(notes))


def _policy(policy: Mapping[str, float]) -> str:
    """Return what the tier allowed when it was routed."""
    said = [f"{what} {span(policy[key])}" for what, key in _ALLOWED if key in policy]
    return f"its tier allowed then: {', '.join(said)}; attempts: {policy.get('max_attempts', 0):g}"


def _subroute(item: Subroute, life: RequestLife) -> Iterator[Step]:
    several = life.plan is not None and len(life.plan.targets) > 1
    part = f"part {item.segment_id}" if several else "the message"
    again = f", attempt {item.attempt}" if item.attempt > 1 else ""
    again += " (a replay)" if item.replay_of is not None else ""
    if item.first_sent_at is not None:
        yield Step(item.first_sent_at, item.target, f"was sent {part}{again}")
    if item.accepted_at is not None:
        tries = f" at try {item.transport_tries}" if item.transport_tries > 1 else ""
        yield Step(item.accepted_at, item.target, f"accepted it{tries}")
    if item.started_at is not None:
        yield Step(item.started_at, item.target, "started to work")
    if item.finished_at is not None:
        yield _finished(item, item.finished_at, told=_is_told(item, life))


def _is_told(item: Subroute, life: RequestLife) -> bool:
    """Return whether a notification already quotes the same words."""
    said = item.reply or ""
    mine = (note.message_excerpt for note in life.notifications if note.origin_butler == item.target)
    return any(excerpt and said.startswith(excerpt.rstrip("…")) for excerpt in mine)


def _finished(item: Subroute, at: datetime, *, told: bool) -> Step:
    late = ("an answer that came later was kept and not used",) if item.late else ()
    took = f" in {span(item.duration_ms / 1000)}" if item.duration_ms is not None else ""
    if item.state == "ok":
        notes = (*_stand_in(item), *late)
        return Step(at, item.target, f"finished{took}", "good", notes, None if told else item.reply)
    if item.state == "skipped":
        why = item.error_message
        said = f"was stopped: {why}" if why else "was not asked: an earlier part failed"
        return Step(at, item.target, said, "warn")
    again = ("it may be tried again",) if item.retryable else ()
    why = words.failure(item.error_class, item.error_message)
    return Step(at, item.target, f"failed{took}: {why}", "bad", (*again, *late))


def _stand_in(item: Subroute) -> Iterator[str]:
    if item.stand_in is not None and item.stand_in_reason is not None:
        because = item.stand_in_reason.removeprefix("model_").replace("_", " ")
        yield f"{item.stand_in} stood in for the model ({because})"


def _told(life: RequestLife) -> Iterator[Step]:
    deliveries = {str(item.delivery_id): item for item in life.deliveries}
    known = set()
    for notification in life.notifications:
        known.add(notification.delivery_id)
        yield from _notification(notification, notification.delivery_id in deliveries)
    for name, delivery in deliveries.items():
        if name not in known:
            yield _asked(delivery)
        yield from _delivery(delivery)


def _asked(item: DeliveryDetail) -> Step:
    """Return the step of a delivery that bypassed Switchboard: a reaction, or Messenger's own message."""
    whom = item.target_identity or "somebody"
    verbs = {"reply": f"answers {whom}", "send": f"writes to {whom}", "react": "shows a reaction"}
    said = f"{verbs.get(item.intent, item.intent)} by {words.type_word(item.channel)}"
    return Step(item.created_at, words.part_word(item.origin_butler), said)


def _notification(item: Notification, delivered: bool) -> Iterator[Step]:
    verb = {"reply": "answers", "send": "tells", "react": "reacts to"}.get(item.intent, item.intent)
    whom = item.recipient or ("the owner" if item.intent == "send" else "the sender")
    yield Step(
        item.created_at,
        words.part_word(item.origin_butler),
        f"{verb} {whom} by {words.type_word(item.channel)}",
        quote=item.message_excerpt,
    )
    if item.error_class is not None and not delivered:
        yield Step(item.updated_at, "Switchboard", words.failure(item.error_class, item.error_message), "bad")


def _delivery(item: DeliveryDetail) -> Iterator[Step]:
    provider = _PROVIDERS.get(item.channel, item.channel)
    for attempt in item.attempts:
        yield _attempt(attempt, provider)
    for receipt in item.receipts:
        how = "" if receipt.evidence == "provider" else f", known by {receipt.evidence.replace('_', ' ')}"
        what = f"has the {words.intent_word(item.intent)} as {receipt.provider_delivery_id}{how}"
        yield Step(receipt.received_at, provider, what, "good")
    if item.status in ("failed", "uncertain", "dead_lettered") and item.terminal_at is not None:
        error = item.error
        why = words.not_delivered(item.status, error.error_class, error.message) if error else ""
        said = {"uncertain": "cannot know whether it arrived", "failed": "gave the delivery up"}.get(
            item.status, "kept it as a dead letter"
        )
        tone = "warn" if item.status == "uncertain" else "bad"
        yield Step(item.terminal_at, "Messenger", said, tone, (why,) if why else ())


def _attempt(item: Attempt, provider: str) -> Step:
    took = f" in {span(item.latency_ms / 1000)}" if item.latency_ms is not None else ""
    said = {
        "sent": f"{provider} took it{took}",
        "throttled": f"{provider} asks to wait",
        "in_provider_call": f"{provider} is being called",
        "uncertain": f"the answer of {provider} got lost",
    }.get(item.outcome, words.failure(item.error_class, item.error_message))
    tone = {"sent": "plain", "in_provider_call": "plain", "throttled": "warn", "uncertain": "warn"}
    return Step(
        item.started_at,
        "Messenger",
        f"try {item.attempt}: {said}",
        tone.get(item.outcome, "bad"),
        (f"by {item.tool}",),
    )


def _afterwards(life: RequestLife) -> Iterator[Step]:
    for letter in life.dead_letters:
        yield Step(letter.created_at, "Switchboard", f"kept it as dead letter {letter.dead_letter_id}", "bad")
    for entry in life.audit:
        reason = (f"because: {entry.reason}",) if entry.reason else ()
        tone = "plain" if entry.error is None else "warn"
        who, said = words.part_word(entry.actor), entry.summary or entry.operation
        yield Step(entry.at, who, said, tone, (*reason, f"in the audit as {entry.operation}"))


def _end(life: RequestLife) -> Iterator[Step]:
    if life.final_state_at is None:
        return
    took = span(seconds_between(life.received_at, life.final_state_at))
    if life.state == "parsed":
        yield Step(life.final_state_at, "Switchboard", f"done after {took}: every part was worked on", "good")
    elif life.state == "errored":
        why = (
            words.failure(life.error.error_class, life.error.message) if life.error else "no reason was kept"
        )
        yield Step(life.final_state_at, "Switchboard", f"failed after {took}: {why}", "bad")
    elif life.state in _BY_OPERATOR:
        yield Step(
            life.final_state_at,
            "Switchboard",
            f"{_BY_OPERATOR[life.state]} by an operator after {took}",
            "warn",
        )
    else:
        yield Step(life.final_state_at, "Switchboard", "recorded; nothing else was to be done")


def _open(life: RequestLife, now: datetime) -> Iterator[Step]:
    for item in life.subroutes:
        if item.finished_at is None:
            yield Step(
                now, item.target, "still works on it" if item.started_at else "waits for its turn", open=True
            )
    for delivery in life.deliveries:
        if delivery.terminal_at is None and delivery.status != "sent":
            yield Step(now, "Messenger", words.state_word(delivery.status), open=True)
    if life.work is not None and life.final_state_at is None and life.plan is None:
        doing = "is being routed" if life.work.leased else f"waits in the queue ({life.work.lane})"
        yield Step(now, "Switchboard", doing, open=True)
