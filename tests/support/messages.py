"""Loads `examples/messages/`: what a household receives, and where each message should end.

Invariant: a manifest that loads is complete and consistent (unknown key, missing file, wrong reference, a
file that nothing names: ValueError naming the entry). The `fresh_*` functions make a run's own copy: dates
are now, identifiers carry the run, so that a second run is new to a database that has seen the first.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any, Literal, cast

import yaml

__all__ = ["EXAMPLES", "ExampleMessage", "fresh_mail", "fresh_post", "fresh_update", "load_examples"]

EXAMPLES = Path(__file__).parents[2] / "examples" / "messages"
BUTLERS = frozenset({"general", "relationship", "health", "finance", "travel"})

Channel = Literal["email", "telegram", "api"]
ExpectedReply = Literal["yes", "owner-note", "none"]

_CHANNELS = {"email": ".eml", "telegram": ".json", "api": ".json"}
_REPLIES = frozenset({"yes", "owner-note", "none"})
_REQUIRED = frozenset({"id", "file", "channel", "sender", "endpoint", "butlers", "reply", "why"})
_OPTIONAL = frozenset({"also_accepted", "duplicate_of", "after"})


@dataclass(frozen=True, slots=True)
class ExampleMessage:
    """One message and what a person would expect of it.

    `butlers` in no order, empty = recorded, not routed; `also_accepted` are other acceptable sets; `after`
    names the messages that must be finished before this one is sent.
    """

    id: str
    file: Path
    channel: Channel
    sender: str
    endpoint: str
    butlers: tuple[str, ...]
    reply: ExpectedReply
    why: str
    also_accepted: tuple[tuple[str, ...], ...] = ()
    duplicate_of: str | None = None
    after: tuple[str, ...] = ()

    @property
    def raw(self) -> bytes:
        return self.file.read_bytes()

    @property
    def document(self) -> dict[str, Any]:
        """The JSON of a Telegram update, or `{idempotency_key, body}` of an API post."""
        return cast(dict[str, Any], json.loads(self.raw))

    def accepts(self, butlers: Iterable[str]) -> bool:
        """Whether a person would accept that this message went to these butlers."""
        found = frozenset(butlers)
        return any(found == frozenset(wanted) for wanted in (self.butlers, *self.also_accepted))


def load_examples(folder: Path = EXAMPLES) -> list[ExampleMessage]:
    """All messages in the order in which they are to be sent; ValueError on the first inconsistency."""
    manifest = yaml.safe_load((folder / "index.yaml").read_text(encoding="utf-8"))
    if not isinstance(manifest, dict) or set(manifest) != {"messages"}:
        raise ValueError("index.yaml: expected one key, messages")
    messages: dict[str, ExampleMessage] = {}
    for entry in manifest["messages"]:
        message = _message(entry, folder)
        if message.id in messages:
            raise ValueError(f"{message.id}: the id is used twice")
        _check_references(message, messages)
        messages[message.id] = message
    _check_files(folder, messages.values())
    return list(messages.values())


def _message(entry: Any, folder: Path) -> ExampleMessage:
    if not isinstance(entry, dict) or not _REQUIRED <= set(entry) <= _REQUIRED | _OPTIONAL:
        raise ValueError(f"{entry!r}: expected the keys {sorted(_REQUIRED)}, and {sorted(_OPTIONAL)} at will")
    strings = [entry[key] for key in sorted(_REQUIRED - {"butlers"})] + [entry.get("duplicate_of") or "-"]
    if not all(isinstance(value, str) and value for value in strings):
        raise ValueError(f"{entry['id']}: every value but the lists is a text that is not empty")
    lists = (entry["butlers"], entry.get("after", []), entry.get("also_accepted", []))
    if not all(isinstance(value, list) for value in lists):
        raise ValueError(f"{entry['id']}: butlers, after and also_accepted are lists")
    if entry["channel"] not in _CHANNELS or entry["reply"] not in _REPLIES:
        raise ValueError(f"{entry['id']}: channel is one of {sorted(_CHANNELS)}, reply of {sorted(_REPLIES)}")
    file = folder / entry["file"]
    if not file.is_file() or file.suffix != _CHANNELS[entry["channel"]]:
        raise ValueError(f"{entry['id']}: {entry['file']} is not a {_CHANNELS[entry['channel']]} file here")
    message = ExampleMessage(
        **{key: entry[key] for key in _REQUIRED - {"file", "butlers"}},
        file=file,
        butlers=tuple(entry["butlers"]),
        also_accepted=tuple(tuple(wanted) for wanted in entry.get("also_accepted", [])),
        duplicate_of=entry.get("duplicate_of"),
        after=tuple(entry.get("after", [])),
    )
    unknown = {name for wanted in (message.butlers, *message.also_accepted) for name in wanted} - BUTLERS
    if unknown:
        raise ValueError(f"{message.id}: unknown butlers {sorted(unknown)}")
    return message


def _check_references(message: ExampleMessage, earlier: Mapping[str, ExampleMessage]) -> None:
    named = (*message.after, *([message.duplicate_of] if message.duplicate_of else []))
    for name in named:
        if name not in earlier:
            raise ValueError(f"{message.id}: {name} is not an earlier message")
    if message.duplicate_of and earlier[message.duplicate_of].file != message.file:
        raise ValueError(f"{message.id}: a duplicate has the file of its original")


def _check_files(folder: Path, messages: Iterable[ExampleMessage]) -> None:
    named = {message.file for message in messages}
    for file in folder.glob("*/*"):
        if file not in named:
            raise ValueError(f"{file.relative_to(folder)}: no message names this file")


_DATE = re.compile(rb"^Date:[^\r\n]*", re.MULTILINE)
_THREADING = re.compile(rb"^(?:Message-ID|In-Reply-To|References):[^\r\n]*", re.MULTILINE | re.IGNORECASE)


def fresh_mail(message: ExampleMessage, *, now: datetime, run: str) -> bytes:
    """The mail as if it were sent now: `Date` is now, the ids in its threading headers carry `run`.

    Everything else keeps its bytes; mails of one run still refer to each other.
    """
    head, separator, body = message.raw.partition(b"\r\n\r\n")
    head = _DATE.sub(f"Date: {format_datetime(now)}".encode(), head, count=1)
    head = _THREADING.sub(lambda found: found[0].replace(b"@", f".{run}@".encode()), head)
    return head + separator + body


def fresh_update(
    message: ExampleMessage, *, now: datetime, injected: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """The update without its update id, dated now; message ids follow what the server gave in this run.

    `injected` maps the ids of earlier examples to their updates as the Bot API server completed them; an
    edit and a reply take the message id of the first entry of `after`.
    """
    update = copy.deepcopy(message.document)
    del update["update_id"]
    (content,) = update.values()
    del content["message_id"]
    content["date"] = int(now.timestamp())
    earlier = _content(injected[message.after[0]]) if message.after and message.after[0] in injected else None
    if "edit_date" in content and earlier is not None:
        content |= {
            "message_id": earlier["message_id"],
            "edit_date": content["date"],
            "date": earlier["date"],
        }
    if "reply_to_message" in content and earlier is not None:
        kept = {"message_id": earlier["message_id"], "date": earlier["date"]}
        content["reply_to_message"] |= kept
    return update


def _content(update: Mapping[str, Any]) -> dict[str, Any]:
    return next(value for key, value in update.items() if key != "update_id")


def fresh_post(message: ExampleMessage, *, run: str) -> tuple[str, dict[str, Any]]:
    """The idempotency key of this run, and the body of `POST /v1/messages`."""
    document = message.document
    return f"{document['idempotency_key']}-{run}", document["body"]
