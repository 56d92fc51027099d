"""What the Bot API server remembers: chats, the queue of updates, messages, and the log of what the bot did.

Invariant: every change is one line appended to the journal before it is answered, so a restarted server
continues with the same update ids, message ids, unconfirmed updates and log.
Bounds: 10,000 waiting updates and 100,000 log entries; past them the server refuses.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.line_journal import append_line, read_lines

from .errors import ApiError

__all__ = ["MAX_LOG", "MAX_QUEUE", "UPDATE_TYPES", "BotState", "Queued"]

MAX_QUEUE = 10_000
MAX_LOG = 100_000
UPDATE_LIFETIME_S = 24 * 3600
"""Incoming updates are kept until received, but not longer than 24 hours (Bot API, Getting updates)."""

FIRST_UPDATE_ID = 500_000_001
MESSAGE_TYPES = ("message", "edited_message", "channel_post", "edited_channel_post")
UPDATE_TYPES = frozenset(
    {
        *MESSAGE_TYPES, "business_connection", "business_message", "edited_business_message",
        "deleted_business_messages", "message_reaction", "message_reaction_count", "inline_query",
        "chosen_inline_result", "callback_query", "shipping_query", "pre_checkout_query",
        "purchased_paid_media", "poll", "poll_answer", "my_chat_member", "chat_member",
        "chat_join_request", "chat_boost", "removed_chat_boost",
    }
)  # fmt: skip
_NOT_BY_DEFAULT = frozenset({"chat_member", "message_reaction", "message_reaction_count"})


@dataclass(slots=True)
class Queued:
    """An update waiting for its confirmation; a `redelivery` ignores the offset until handed out once."""

    update: dict[str, Any]
    queued_at: float
    redelivery: bool = False
    handed_out: bool = False

    @property
    def update_id(self) -> int:
        return int(self.update["update_id"])


@dataclass(slots=True)
class BotState:
    """The whole memory of one bot; `clock` gives Unix seconds, `journal` None keeps it in memory only."""

    clock: Callable[[], float]
    journal: Path | None = None
    next_update_id: int = FIRST_UPDATE_ID
    queue: list[Queued] = field(default_factory=list)
    issued: dict[int, dict[str, Any]] = field(default_factory=dict)
    chats: dict[int, dict[str, Any]] = field(default_factory=dict)
    blocked: set[int] = field(default_factory=set)
    messages: dict[int, set[int]] = field(default_factory=dict)
    topics: dict[int, set[int]] = field(default_factory=dict)
    reactions: dict[tuple[int, int], list[dict[str, Any]]] = field(default_factory=dict)
    open_queries: set[str] = field(default_factory=set)
    """Presses that were not acknowledged yet."""
    log: list[dict[str, Any]] = field(default_factory=list)
    on_change: Callable[[], None] = lambda: None
    allowed_updates: frozenset[str] = UPDATE_TYPES - _NOT_BY_DEFAULT

    # -- changes: each is `record`ed, and `_apply`d the same way when the journal is read again ----------

    def record(self, change: str, **values: Any) -> None:
        """Append one change to the journal and apply it."""
        entry = {"change": change, **values}
        if self.journal is not None:
            append_line(self.journal, json.dumps(entry))
        self._apply(entry)
        self.on_change()

    def load(self) -> None:
        """Read the journal of an earlier run; a torn last line (killed while writing) is ignored."""
        if self.journal is None:
            return
        for number, line in enumerate(read_lines(self.journal), start=1):
            try:
                entry = json.loads(line)
            except ValueError:
                problem = f"{self.journal}:{number} is not JSON: delete the file to start afresh"
                raise ValueError(problem) from None
            self._apply(entry)

    def _apply(self, entry: dict[str, Any]) -> None:
        getattr(self, f"_apply_{entry['change']}")(entry)

    def _apply_update(self, entry: dict[str, Any]) -> None:
        update = entry["update"]
        self.next_update_id = max(self.next_update_id, update["update_id"] + 1)
        self.issued[update["update_id"]] = update
        for kind in MESSAGE_TYPES:
            if kind in update:
                self.know_message(update[kind]["chat"], update[kind]["message_id"])
                self.know_topic(update[kind])
        if "callback_query" in update and not entry["redelivery"]:
            self.open_queries.add(update["callback_query"]["id"])
        if entry["queued"]:
            self.queue.append(Queued(update, entry["at"], redelivery=entry["redelivery"]))

    def _apply_confirm(self, entry: dict[str, Any]) -> None:
        below = entry["below"]
        kept = [q for q in self.queue if q.update_id >= below or (q.redelivery and not q.handed_out)]
        self.queue = kept

    def _apply_handed_out(self, entry: dict[str, Any]) -> None:
        ids = set(entry["update_ids"])
        for queued in self.queue:
            queued.handed_out = queued.handed_out or queued.update_id in ids

    def _apply_allowed(self, entry: dict[str, Any]) -> None:
        self.allowed_updates = frozenset(entry["types"]) or (UPDATE_TYPES - _NOT_BY_DEFAULT)

    def _apply_chat(self, entry: dict[str, Any]) -> None:
        chat = entry["chat"]
        self.chats[chat["id"]] = chat
        (self.blocked.add if entry["blocked"] else self.blocked.discard)(chat["id"])

    def _apply_sent(self, entry: dict[str, Any]) -> None:
        sent = entry["entry"]
        self.log.append(sent)
        if sent["kind"] == "message":
            self.know_message(self.chats[sent["chat_id"]], sent["message_id"])
        elif sent["kind"] == "reaction":
            self.reactions[sent["chat_id"], sent["message_id"]] = sent["reaction"]
        else:
            self.open_queries.discard(sent["callback_query_id"])

    # -- questions --------------------------------------------------------------------------------------

    def know_message(self, chat: dict[str, Any], message_id: int) -> None:
        self.chats.setdefault(chat["id"], chat)
        self.messages.setdefault(chat["id"], set()).add(message_id)

    def know_topic(self, message: dict[str, Any]) -> None:
        """A topic exists once something was written in it (Message: is_topic_message, message_thread_id)."""
        if message.get("is_topic_message") is True and "message_thread_id" in message:
            self.topics.setdefault(message["chat"]["id"], set()).add(message["message_thread_id"])

    def next_message_id(self, chat_id: int) -> int:
        return max(self.messages.get(chat_id, ()), default=0) + 1

    def confirm_below(self, update_id: int) -> None:
        """Forget what is confirmed by an offset, and what is older than 24 hours."""
        if any(q.update_id < update_id and (q.handed_out or not q.redelivery) for q in self.queue):
            self.record("confirm", below=update_id)

    def expire(self) -> None:
        oldest = self.clock() - UPDATE_LIFETIME_S
        self.queue = [queued for queued in self.queue if queued.queued_at >= oldest]

    def add_log(self, kind: str, **values: Any) -> dict[str, Any]:
        """One line of what the bot did: `seq` from 1, `time` in Unix seconds."""
        if len(self.log) >= MAX_LOG:
            raise ApiError(500, f"Internal Server Error: the test server's log is full ({MAX_LOG})")
        entry = {"seq": len(self.log) + 1, "time": self.clock(), "kind": kind, **values}
        self.record("sent", entry=entry)
        return entry
