"""Turns a Telegram update into an `ingest.v1` envelope, or says why not (CNX-01.1, D14, D15, D16, D54). Pure.

Invariant: any JSON value gives an event; nothing is raised and no update stops the ones behind it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from butler_connectors.telegram_bot.media import attachments_of, describe, is_service_message
from butler_connectors.telegram_bot.presses import as_message, event_of_press, is_press, query_of
from butler_contracts.ingest import IngestEnvelopeV1
from butler_contracts.parse import ContractViolation, parse
from butler_kit.sources.bounds import clip, fit_raw, normalized_text
from butler_kit.sources.events import Malformed, Skipped
from butler_kit.sources.senders import SenderLists

__all__ = ["MESSAGE_KINDS", "UPDATE_KINDS", "TelegramSource", "envelope_of", "thread_of"]

MESSAGE_KINDS: Final = ("message", "edited_message", "channel_post", "edited_channel_post")
"""The updates with a message."""
UPDATE_KINDS: Final = (*MESSAGE_KINDS, "callback_query")
"""The updates with content; all others are counted and skipped (D15)."""
_NAMED_KINDS: Final = frozenset(
    {
        "inline_query", "chosen_inline_result", "shipping_query", "pre_checkout_query", "poll",
        "poll_answer", "my_chat_member", "chat_member", "chat_join_request", "message_reaction",
        "message_reaction_count", "chat_boost", "removed_chat_boost", "business_connection", "business_message",
        "edited_business_message", "deleted_business_messages", "purchased_paid_media",
    }
)  # fmt: skip
_EPOCH_RANGE: Final = (1_356_998_400, 4_102_444_800)
"""2013, the year of the first Telegram message, to 2100."""


@dataclass(frozen=True)
class TelegramSource:
    """What the connector knows about its own source; messages before `since` are skipped (D16)."""

    endpoint_identity: str
    policy_tier: str = "interactive"
    senders: SenderLists = SenderLists()  # noqa: RUF009
    since: datetime | None = None


def envelope_of(
    update: Mapping[str, Any], source: TelegramSource, *, now: datetime
) -> IngestEnvelopeV1 | Skipped | Malformed:
    """Return the envelope of an update; `now` (aware) replaces an invalid date."""
    message = _message(update)
    if message is None:
        other = next((name for name in update if name in _NAMED_KINDS), "unknown")
        return Skipped(f"not_a_message_{other}")
    query = query_of(update)
    if query is not None and not is_press(query):
        return Skipped("not_a_press")
    if is_service_message(message):
        return Skipped("service_message")
    sender = _sender(message)
    if sender is None or _chat_id(message) is None:
        return Malformed("malformed_update", "the message names no sender or no chat")
    reason = source.senders.skip_reason(sender)
    if reason is not None:
        return Skipped(reason)
    observed_at = _observed_at(message, now=now)
    if source.since is not None and observed_at < source.since:
        return Skipped("before_start")
    try:
        return parse(IngestEnvelopeV1, _document(update, message, source, sender, observed_at))
    except ContractViolation as error:
        return Malformed("malformed_update", str(error))


def thread_of(update: Mapping[str, Any]) -> str | None:
    """Return the chat, in a forum with its topic: events of one thread stay in order (D11)."""
    message = _message(update)
    return None if message is None else _thread(message)


def _message(update: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the message of an update; for a press it says what stands on the button."""
    kind = next((name for name in UPDATE_KINDS if isinstance(update.get(name), Mapping)), None)
    if kind is None:
        return None
    said: Mapping[str, Any] = update[kind]
    return as_message(said) if kind == "callback_query" else said


def _document(
    update: Mapping[str, Any],
    message: Mapping[str, Any],
    source: TelegramSource,
    sender: str,
    observed_at: datetime,
) -> dict[str, Any]:
    message_id, query = _number(message.get("message_id")), query_of(update)
    edited = query is None and any(name.startswith("edited_") for name in update)
    event = {
        "external_event_id": str(update.get("update_id")),
        "external_thread_id": _thread(message),
        "external_message_id": message_id,
        "observed_at": observed_at.isoformat(),
        "supersedes": message_id if edited else None,
        "in_reply_to": _replied_to(message) if query is None else None,
        **(event_of_press(query) if query is not None else {}),
    }
    attachments = attachments_of(message)
    text = next((message[key] for key in ("text", "caption") if isinstance(message.get(key), str)), "")
    return {
        "schema_version": "ingest.v1",
        "source": {
            "channel": "telegram",
            "provider": "telegram",
            "endpoint_identity": source.endpoint_identity,
        },
        "event": event,
        "sender": {"identity": sender, "display_name": _display_name(message)},
        "payload": {
            "raw": fit_raw(update),
            "normalized_text": normalized_text(text, otherwise=describe(message)),
            "attachments": [attachment.to_wire() for attachment in attachments],
        },
        "control": {"policy_tier": source.policy_tier},
    }


def _replied_to(message: Mapping[str, Any]) -> str | None:
    """Return the message in the same chat that it replies to; the start of a forum topic does not count."""
    replied = message.get("reply_to_message")
    if not isinstance(replied, Mapping) or "forum_topic_created" in replied:
        return None
    return _number(replied.get("message_id"))


def _sender(message: Mapping[str, Any]) -> str | None:
    """Return the numeric id; for a message on behalf of a chat, the chat's (`from` is then a stand-in)."""
    for key in ("sender_chat", "from"):
        person = message.get(key)
        if isinstance(person, Mapping) and (identity := _number(person.get("id"))) is not None:
            return identity
    return None


def _display_name(message: Mapping[str, Any]) -> str | None:
    person = message.get("sender_chat") or message.get("from")
    if not isinstance(person, Mapping):
        return None
    names = (
        [person.get("first_name"), person.get("last_name")]
        if "first_name" in person
        else [person.get("title")]
    )
    shown = " ".join(name for name in names if isinstance(name, str)).strip()
    return clip(shown, 256, mark="…") or None


def _chat_id(message: Mapping[str, Any]) -> str | None:
    chat = message.get("chat")
    return _number(chat.get("id")) if isinstance(chat, Mapping) else None


def _thread(message: Mapping[str, Any]) -> str | None:
    chat = _chat_id(message)
    topic = _number(message.get("message_thread_id")) if message.get("is_topic_message") is True else None
    return f"{chat}:{topic}" if chat is not None and topic is not None else chat


def _number(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= 2**63:
        return None
    return str(value)


def _observed_at(message: Mapping[str, Any], *, now: datetime) -> datetime:
    """Return the message's date in its chat, also for an edit: "yesterday" in it still refers to `date`."""
    seconds = message.get("date")
    if isinstance(seconds, int) and not isinstance(seconds, bool):
        low, high = _EPOCH_RANGE
        if low <= seconds <= high:
            return datetime.fromtimestamp(seconds, UTC)
    return now
