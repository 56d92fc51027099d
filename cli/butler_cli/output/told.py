"""PURE: what was told to whom: notifications, deliveries, tries and receipts as steps in words."""

from __future__ import annotations

from collections.abc import Iterator

from butler_cli.client.life import Attempt, Delivery, Notification
from butler_cli.output import words
from butler_cli.output.moments import span
from butler_cli.output.screen import line_of
from butler_cli.output.step import Step

__all__ = ["delivery_steps", "notification_steps"]

_EXCERPT_CHARS = 200
"""Where the notification's excerpt ends."""
_UNCERTAIN = (
    "it may have arrived: the answer of {provider} got lost. It is not sent again by itself, because that could "
    "double it; look whether it is there"
)
_PURPOSES = {"error_reply": "to tell what went wrong", "contradiction": "to tell which answer counts"}
_EVIDENCE = {
    "provider_answer": "",
    "sent_mailbox": " (found in the mailbox of sent mail)",
    "earlier_delivery": " (by the delivery before the replay)",
}


def notification_steps(item: Notification, delivery: Delivery | None) -> Iterator[Step]:
    """Yield the request to tell something, and its outcome."""
    verb = {"reply": "answers", "send": "tells", "react": "reacts"}.get(item.intent, item.intent)
    whom = (delivery.target_identity if delivery else None) or item.recipient
    to = f" {whom}" if whom else " the owner" if item.intent == "send" else " the sender"
    purpose = f" {_PURPOSES[item.purpose]}" if item.purpose in _PURPOSES else ""
    text = line_of(item.message_excerpt)
    more = "…" if len(item.message_excerpt or "") >= _EXCERPT_CHARS else ""
    notes = (f"“{text}{more}”",) if text else ()
    yield Step(item.created_at, item.origin_butler, f"{verb}{to} by {item.channel}{purpose}", notes=notes)
    if delivery is not None and delivery.replay_of is not None:
        yield Step(delivery.created_at, "messenger", "delivers it once more: an operator replayed it")
    if delivery is not None:
        yield from _tries(delivery)
        return
    state = item.delivery_state or item.status
    if item.error_class is not None:
        said = f"could not hand it over: {words.failure(item.error_class, item.error_message)}"
        yield Step(item.updated_at, "messenger", said, "bad")
    elif state != "pending":
        yield Step(item.updated_at, "messenger", _outcome(state, item.channel), _tone(state))


def delivery_steps(delivery: Delivery) -> Iterator[Step]:
    """Yield the steps of a delivery without a notification of its own, such as a reaction."""
    what = "shows a reaction" if delivery.intent == "react" else f"{delivery.intent} by {delivery.channel}"
    glyphs = [(item.provider_response or {}).get("reaction") for item in delivery.attempts]
    shown = next((f" {glyph}" for glyph in reversed(glyphs) if glyph), "")
    again = ", once more: an operator replayed it" if delivery.replay_of is not None else ""
    yield Step(delivery.created_at, delivery.origin_butler, f"{what}{shown}{again}")
    if delivery.intent != "react" or delivery.status != "sent":
        yield from _tries(delivery)


def _tries(delivery: Delivery) -> Iterator[Step]:
    for attempt in delivery.attempts:
        yield _try(attempt, delivery)
    for receipt in delivery.receipts:
        evidence = _EVIDENCE.get(receipt.evidence, f" ({receipt.evidence})")
        said = f"{words.provider(delivery.channel)} has it as {receipt.provider_delivery_id}{evidence}"
        yield Step(receipt.received_at, "receipt", said, "good")
    if delivery.status != "sent":
        at = delivery.terminal_at or (
            delivery.attempts[-1].started_at if delivery.attempts else delivery.created_at
        )
        error = delivery.error or {}
        notes = (words.failure(error.get("class"), error.get("message")),) if error else ()
        said = _outcome(delivery.status, delivery.channel)
        yield Step(at, "messenger", said, _tone(delivery.status), notes=notes)


def _try(attempt: Attempt, delivery: Delivery) -> Step:
    carrier = words.provider(delivery.channel)
    took = f" in {span(attempt.latency_ms / 1000)}" if attempt.latency_ms is not None else ""
    at = attempt.finished_at or attempt.started_at
    head = f"try {attempt.attempt} ({attempt.tool})"
    match attempt.outcome:
        case "sent":
            return Step(at, "messenger", f"{head}: {carrier} took it{took}")
        case "throttled":
            return Step(
                at, "messenger", f"{head}: {carrier} asked for a pause; does not count as a try", "warn"
            )
        case "uncertain":
            return Step(at, "messenger", f"{head}: no answer of {carrier}", "warn")
        case "in_provider_call":
            return Step(at, "messenger", f"{head}: {carrier} is being asked", "warn")
        case _:
            detail = words.failure(attempt.error_class, attempt.error_message)
            again = "; tried again" if attempt.retryable and delivery.status != "dead_lettered" else ""
            return Step(at, "messenger", f"{head}: {detail}{again}", "warn")


def _outcome(state: str, channel: str) -> str:
    return {
        "queued": "has it and will deliver it",
        "pending": "has it and will deliver it",
        "in_progress": "is delivering it",
        "sent": f"delivered it to {words.provider(channel)}",
        "bounced": "sent it, and the mail came back",
        "failed": "could not deliver it",
        "dead_lettered": "gave up after every try; it is kept as a dead letter",
        "uncertain": _UNCERTAIN.format(provider=words.provider(channel)),
        "pending_approval": "waits for an approval",
        "pending_missing_identifier": "knows the person but no address on this channel; the owner was told",
        "ok": "took it",
    }.get(state, state)


def _tone(state: str) -> str:
    return {"sent": "good", "ok": "good", "failed": "bad", "bounced": "bad", "dead_lettered": "bad"}.get(
        state, "warn"
    )
