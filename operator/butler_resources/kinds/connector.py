"""The custom resource `Connector`: one source of messages and the process that reads it (CNX-01, CNX-10).

Invariant: exactly one of the blocks `telegramBot`, `imap`, `gmail`, `webhook` is given: the one that `type`
names.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from butler_resources.kinds.base import (
    API_VERSION,
    DnsName,
    EnvFromSecret,
    HttpUrl,
    Metadata,
    Port,
    ResourceModel,
    SecretRef,
    Server,
    ShortText,
)

__all__ = ["BLOCK_OF_TYPE", "Connector", "ConnectorSpec", "ConnectorType", "Imap", "Webhook"]

ConnectorType = Literal["telegram_bot", "imap", "gmail", "webhook"]
BLOCK_OF_TYPE: Final = {
    "telegram_bot": "telegram_bot",
    "imap": "imap",
    "gmail": "gmail",
    "webhook": "webhook",
}


def _start_of_reading(value: str) -> str:
    if value == "now" or (value.startswith("last_") and value[5:].isdigit() and 0 < int(value[5:]) <= 10_000):
        return value
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError as error:
        raise ValueError(f"{value!r}: expected now, last_N (last_50) or a date (2026-01-31)") from error


Start = Annotated[str, StringConstraints(max_length=20), AfterValidator(_start_of_reading)]


class TelegramBotSource(ResourceModel):
    """A Telegram bot, read by long polling."""

    token_secret_ref: SecretRef = Field(description="The bot's token.")
    api_base_url: HttpUrl | None = Field(
        default=None, description="Bot API server; by default https://api.telegram.org."
    )
    poll_timeout_seconds: int = Field(default=30, ge=1, le=50, description="Length of one long poll.")


class Imap(Server):
    """A mailbox, read over IMAP."""

    port: Port = Field(default=993, description="TCP port.")
    username: ShortText = Field(description="User name.")
    password_secret_ref: SecretRef = Field(description="The user's password.")
    mailbox: ShortText = Field(default="INBOX", description="Mailbox to read.")


class Webhook(ResourceModel):
    """An HTTP endpoint of our own."""

    port: Port | None = Field(default=None, description="Port of `POST /v1/messages`.")
    token_secret_ref: SecretRef = Field(description="Bearer token that a submitter shows.")


class Senders(ResourceModel):
    """Whose messages are read."""

    allow: tuple[ShortText, ...] = Field(default=(), max_length=1000, description="When given, only these.")
    skip: tuple[ShortText, ...] = Field(default=(), max_length=1000, description="Never these; only counted.")


class ConnectorSpec(ResourceModel):
    """The desired state of one connector."""

    type: ConnectorType = Field(description="Kind of source. Immutable.")
    endpoint_identity: ShortText = Field(
        description="Name of this source everywhere, for example telegram:bot:household. Immutable."
    )
    switchboard_ref: DnsName = Field(default="switchboard", description="The Switchboard it submits to.")
    start: Start = Field(default="now", description="Where a new source starts: now, last_N or a date (D16).")
    senders: Senders = Field(default_factory=Senders, description="Whose messages are read.")
    max_tier: Literal["default", "interactive", "high_priority"] = Field(
        default="interactive", description="Highest tier its messages may have (D3)."
    )
    max_inflight: int = Field(default=8, ge=1, le=64, description="Submissions at the same time (CNX-08.2).")
    heartbeat_interval_seconds: int = Field(
        default=120, ge=30, le=300, description="Pause between heartbeats (CNX-11.6, D31)."
    )
    checkpoint: Literal["file", "switchboard"] = Field(
        default="file", description="Where the resume position is kept; switchboard is not available yet."
    )
    telegram_bot: TelegramBotSource | None = Field(default=None, description="Block of type telegram_bot.")
    imap: Imap | None = Field(default=None, description="Block of type imap.")
    gmail: dict[str, object] | None = Field(
        default=None, description="Block of type gmail; not available yet."
    )
    webhook: Webhook | None = Field(default=None, description="Block of type webhook.")
    env: tuple[EnvFromSecret, ...] = Field(default=(), max_length=50, description="Further environment.")
    suspend: bool = Field(default=False, description="Keep the resource but run nothing.")

    @model_validator(mode="after")
    def _only_what_is_built(self) -> ConnectorSpec:
        if self.type == "gmail":
            raise ValueError("type gmail is not available yet; use imap with an app password")
        if self.checkpoint == "switchboard":
            raise ValueError("`checkpoint: switchboard` is not available yet; use file")
        return self

    @model_validator(mode="after")
    def _exactly_one_block(self) -> ConnectorSpec:
        wanted = BLOCK_OF_TYPE[self.type]
        given = [block for block in BLOCK_OF_TYPE.values() if getattr(self, block) is not None]
        if given != [wanted]:
            names = [type(self).model_fields[block].alias or block for block in (wanted, *given)]
            found = ", ".join(f"`{name}`" for name in names[1:]) or "none"
            raise ValueError(f"type {self.type} needs exactly one block, `{names[0]}`; found {found}")
        return self


class Connector(ResourceModel):
    """One source of messages."""

    api_version: Literal["butlers.dev/v1alpha1"] = Field(default=API_VERSION, description="API version.")
    kind: Literal["Connector"] = Field(default="Connector", description="Kind.")
    metadata: Metadata = Field(description="Name and labels.")
    spec: ConnectorSpec = Field(description="Desired state.")

    @property
    def name(self) -> str:
        """The name of its process and files."""
        return self.metadata.name
