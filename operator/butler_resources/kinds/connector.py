"""The custom resource `Connector`: one source of messages and the process that reads it (CNX-01, CNX-10).

Invariant: exactly one of the blocks `telegramBot`, `imap`, `gmail`, `webhook` is given: the one that `type`
names.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field, StringConstraints
from pydantic.alias_generators import to_camel

from butler_resources.kinds.base import (
    DnsName,
    Environment,
    HttpUrl,
    Metadata,
    Port,
    ResourceModel,
    SecretRef,
    Server,
    ShortText,
    TextSet,
    name_rules,
)
from butler_resources.kinds.butler import LONGEST_NAME
from butler_resources.kinds.ca_bundle import CaBundleRef
from butler_resources.kinds.exposure import Peer, WebhookIngress, WebhookRoute, WebhookService
from butler_resources.kinds.names import API_VERSION
from butler_resources.kinds.pod import ConnectorPod
from butler_resources.kinds.rules import Rule, unchanged
from butler_resources.kinds.settings import setting
from butler_resources.kinds.statuses import ConnectorStatus
from butler_resources.kinds.storage import STORAGE_RULES, Storage
from butler_resources.kinds.telemetry import Telemetry

__all__ = ["BLOCK_OF_TYPE", "ONLINE_S", "Connector", "ConnectorSpec", "ConnectorType", "Imap", "Webhook"]

ConnectorType = Literal["telegram_bot", "imap", "gmail", "webhook"]
BLOCK_OF_TYPE: Final = {
    "telegram_bot": "telegram_bot",
    "imap": "imap",
    "gmail": "gmail",
    "webhook": "webhook",
}


ONLINE_S: Final = 300
"""Age of the last heartbeat up to which Switchboard calls a connector online (CNX-12.1)."""
_ANOTHER: Final = "delete the connector and create another"


def _is_start_of_reading(value: str) -> bool:
    if value == "now" or re.fullmatch(r"last_([1-9][0-9]{0,3}|10000)", value):
        return True
    try:
        return date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


class TelegramBotSource(ResourceModel):
    """A Telegram bot, read by long polling."""

    token_secret_ref: SecretRef = Field(description="Secret and key that hold the bot's token.")
    api_base_url: HttpUrl | None = Field(
        default=None, description="Bot API server. Defaults to https://api.telegram.org."
    )
    poll_timeout_seconds: int = Field(
        default=30, ge=1, le=50, description="Length of one long poll, in seconds."
    )


class Imap(Server):
    """A mailbox, read over IMAP."""

    port: Port = Field(default=993, description="TCP port of the server.")
    username: ShortText = Field(description="User name of the mailbox.")
    password_secret_ref: SecretRef = Field(description="Secret and key that hold the user's password.")
    mailbox: ShortText = Field(default="INBOX", description="Folder to read.")
    poll_interval_seconds: float | None = setting(
        "Maximum time in seconds between two checks of the mailbox.", default=60, ge=1, le=3600
    )


class Webhook(ResourceModel):
    """An HTTP endpoint that receives messages."""

    port: Port | None = Field(default=None, description="Port that accepts `POST /v1/messages`.")
    token_secret_ref: SecretRef = Field(
        description="Secret and key that hold the bearer tokens of submitters: one token, or one `name=token` per "
        "line. Append `;expires_at=2027-01-31` to a token that expires."
    )
    service: WebhookService | None = Field(default=None, description="Service of the webhook on a cluster.")
    ingress: WebhookIngress | None = Field(
        default=None, description="Ingress of the webhook on a cluster. Defaults to none."
    )
    http_route: WebhookRoute | None = Field(
        default=None,
        description="HTTPRoute (Gateway API) of the webhook on a cluster. Defaults to none.",
    )
    allow_from: Annotated[
        tuple[Peer, ...], Field(max_length=10, json_schema_extra={"x-kubernetes-list-type": "atomic"})
    ] = Field(
        default=(),
        description="Pods that may connect to its port on a cluster, such as those of an ingress controller. Defaults "
        "to everyone; the tokens control who may post.",
    )


class Senders(ResourceModel):
    """Filter of messages by sender."""

    allow: TextSet = Field(
        default=(),
        max_length=1000,
        description="Senders to read. If set, messages from all others are not read.",
    )
    skip: TextSet = Field(
        default=(), max_length=1000, description="Senders whose messages are counted and skipped."
    )


def _exactly_the_block_of(type_: str) -> Rule:
    wanted = BLOCK_OF_TYPE[type_]
    others = [block for block in BLOCK_OF_TYPE.values() if block != wanted]
    absent = " && ".join(f"!has(self.{to_camel(block)})" for block in others)
    return Rule(
        cel=f"self.type != '{type_}' || (has(self.{to_camel(wanted)}) && {absent})",
        message=f"type {type_} needs exactly one block, `{to_camel(wanted)}`; give that one and remove any other",
        holds=lambda spec: (
            spec.type != type_
            or (getattr(spec, wanted) is not None and all(getattr(spec, block) is None for block in others))
        ),
    )


class ConnectorSpec(ResourceModel):
    """The desired state of one connector."""

    type: ConnectorType = Field(description="Kind of source: telegram_bot, imap or webhook. Immutable.")
    endpoint_identity: ShortText = Field(
        description="Unique name of the source, such as telegram:bot:household. Immutable."
    )
    switchboard_ref: DnsName = Field(
        default="switchboard", description="Butler with role switchboard to submit messages to."
    )
    start: Annotated[str, StringConstraints(max_length=20)] = Field(
        default="now",
        description="Where to start reading a new source: now, last_50 or a date such as 2026-01-31 (D16).",
    )
    senders: Senders = Field(
        default_factory=Senders, description="Senders whose messages to read. Defaults to everyone."
    )
    max_tier: Literal["default", "interactive", "high_priority"] = Field(
        default="interactive", description="Highest tier its messages may have (D3)."
    )
    max_inflight: int = Field(
        default=8,
        ge=1,
        le=64,
        description="Maximum number of concurrent submissions to Switchboard (CNX-08.2).",
    )
    heartbeat_interval_seconds: int = Field(
        default=120,
        ge=30,
        le=300,
        description="Seconds between heartbeats; at most half of the 300 s for which a connector counts as online "
        "(CNX-11.6, D31).",
    )
    checkpoint: Literal["file", "switchboard"] = Field(
        default="file",
        description="Where to store the resume position. file: on a volume of its own. switchboard: at Switchboard, so "
        "that pods need no disk and another pod can take over (CNX-17).",
    )
    replicas: int = Field(
        default=1,
        ge=1,
        le=5,
        description="Number of pods. One reads the source, the others are on standby. More than one needs `checkpoint: "
        "switchboard`; for none, set `suspend`. `butlers up` runs one.",
    )
    storage: Storage | None = Field(
        default=None,
        description="Volume of the checkpoint file. Size and class default to the installation's.",
    )
    telegram_bot: TelegramBotSource | None = Field(
        default=None, description="Block of type telegram_bot: the bot and how it is polled."
    )
    imap: Imap | None = Field(default=None, description="Block of type imap: the mailbox and its account.")
    gmail: dict[str, object] | None = Field(
        default=None,
        max_length=20,
        description="Block of type gmail; not available yet.",
        json_schema_extra={"x-kubernetes-preserve-unknown-fields": True},
    )
    webhook: Webhook | None = Field(
        default=None, description="Block of type webhook: port and token of the HTTP endpoint."
    )
    telemetry: Telemetry | None = Field(default=None, description="Logging, and export of spans and metrics.")
    ca_bundle_ref: CaBundleRef | None = Field(
        default=None,
        description="Certificate authorities to trust in addition to the system's. Defaults to the household's.",
    )
    env: Environment = Field(
        default=(),
        max_length=50,
        description="Additional environment variables of the process, each from a secret.",
    )
    pod: ConnectorPod | None = Field(
        default=None,
        description="Settings of its pods on a cluster. Ignored by `butlers up`.",
    )
    suspend: bool = Field(
        default=False, description="true stops the connector and keeps its position in the source."
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        unchanged("type", _ANOTHER),
        unchanged("endpointIdentity", _ANOTHER),
        Rule(
            cel="self.type != 'gmail'",
            message="type gmail is not available yet; use imap with an app password",
            holds=lambda spec: spec.type != "gmail",
            path=".type",
        ),
        Rule(
            cel="self.type != 'webhook' || self.checkpoint == 'file'",
            message="a webhook has no checkpoint to keep; remove `checkpoint`",
            holds=lambda spec: spec.type != "webhook" or spec.checkpoint == "file",
            path=".checkpoint",
        ),
        Rule(
            cel="self.replicas == 1 || self.type == 'webhook' || self.checkpoint == 'switchboard'",
            message="a checkpoint file supports only one replica; for more, set `checkpoint: switchboard`",
            holds=lambda spec: (
                spec.replicas == 1 or spec.type == "webhook" or spec.checkpoint == "switchboard"
            ),
            path=".replicas",
        ),
        Rule(
            cel="self.replicas == 1 || self.type != 'webhook'",
            message="a webhook runs one pod; remove `replicas`",
            holds=lambda spec: spec.replicas == 1 or spec.type != "webhook",
            path=".replicas",
        ),
        Rule(
            cel="self.start == 'now' || self.start.matches('^last_([1-9][0-9]{0,3}|10000)$') || "
            "!format.date().validate(self.start).hasValue()",
            message="expected now, last_N (last_50) or a date (2026-01-31)",
            holds=lambda spec: _is_start_of_reading(spec.start),
            path=".start",
        ),
        Rule(
            cel="self.type == 'webhook' || !has(self.pod) || !has(self.pod.service)",
            message="only a webhook has a Service; remove `pod.service`",
            holds=lambda spec: spec.type == "webhook" or spec.pod is None or spec.pod.service is None,
            path=".pod",
        ),
        *STORAGE_RULES,
        *(_exactly_the_block_of(type_) for type_ in BLOCK_OF_TYPE if type_ != "gmail"),
        Rule(
            cel=f"self.heartbeatIntervalSeconds * 2 <= {ONLINE_S}",
            message=f"heartbeatIntervalSeconds × 2 is more than the {ONLINE_S} s for which a connector counts as "
            f"online; expected at most {ONLINE_S // 2}",
            holds=lambda spec: spec.heartbeat_interval_seconds * 2 <= ONLINE_S,
            path=".heartbeatIntervalSeconds",
        ),
    )


class Connector(ResourceModel):
    """A source of messages."""

    api_version: Literal["butlers.dev/v1alpha1"] = Field(default=API_VERSION, description="API version.")
    kind: Literal["Connector"] = Field(default="Connector", description="Kind.")
    metadata: Metadata = Field(description="Name and labels.")
    spec: ConnectorSpec = Field(
        description="Source to read, and how. Exactly one block is allowed, the one that `type` names."
    )
    status: ConnectorStatus | None = Field(
        default=None, description="Observed state: conditions, and whether heartbeats arrive."
    )

    RULES: ClassVar[tuple[Rule, ...]] = name_rules(LONGEST_NAME)

    @property
    def name(self) -> str:
        """The name of its process and files."""
        return self.metadata.name
