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
        default=None, description="Bot API server; by default https://api.telegram.org."
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
        "Longest wait in seconds between two looks into the mailbox.", default=60, ge=1, le=3600
    )


class Webhook(ResourceModel):
    """An HTTP endpoint of our own."""

    port: Port | None = Field(default=None, description="Port on which `POST /v1/messages` is taken.")
    token_secret_ref: SecretRef = Field(
        description="Secret and key that hold the bearer tokens that submitters show: a token, or `name=token` by "
        "lines, each with `;expires_at=2027-01-31` behind it when it ends."
    )
    service: WebhookService | None = Field(default=None, description="Its Service, on a cluster.")
    ingress: WebhookIngress | None = Field(
        default=None, description="An Ingress that leads to it, on a cluster; by default none."
    )
    http_route: WebhookRoute | None = Field(
        default=None,
        description="An HTTPRoute of the Gateway API that leads to it, on a cluster; by default none.",
    )
    allow_from: Annotated[
        tuple[Peer, ...], Field(max_length=10, json_schema_extra={"x-kubernetes-list-type": "atomic"})
    ] = Field(
        default=(),
        description="Who may reach its port on a cluster, such as the namespace of an ingress controller; by default "
        "everybody, for its tokens say who may post.",
    )


class Senders(ResourceModel):
    """Whose messages are read."""

    allow: TextSet = Field(
        default=(), max_length=1000, description="When given, messages of nobody else are read."
    )
    skip: TextSet = Field(
        default=(), max_length=1000, description="Their messages are counted and passed over."
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
        description="Name of this source everywhere, for example telegram:bot:household. Immutable."
    )
    switchboard_ref: DnsName = Field(
        default="switchboard", description="Butler with role switchboard that it submits to."
    )
    start: Annotated[str, StringConstraints(max_length=20)] = Field(
        default="now", description="Where a new source starts: now, last_50 or a date as 2026-01-31 (D16)."
    )
    senders: Senders = Field(
        default_factory=Senders, description="Whose messages are read; by default everyone's."
    )
    max_tier: Literal["default", "interactive", "high_priority"] = Field(
        default="interactive", description="Highest tier its messages may have (D3)."
    )
    max_inflight: int = Field(
        default=8,
        ge=1,
        le=64,
        description="Messages on their way to Switchboard at the same time (CNX-08.2).",
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
        description="Where the resume position is kept: in a file on a volume of its own, or by Switchboard, so that "
        "its pods need no disk and another may go on (CNX-17).",
    )
    replicas: int = Field(
        default=1,
        ge=1,
        le=5,
        description="Pods: one reads the source, the others stand by and take over. More than one needs "
        "`checkpoint: switchboard`; `butlers up` runs one.",
    )
    storage: Storage | None = Field(
        default=None, description="Volume of the checkpoint file; by default the place's size and class."
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
    telemetry: Telemetry | None = Field(default=None, description="What it logs, and where its spans go.")
    ca_bundle_ref: CaBundleRef | None = Field(
        default=None,
        description="Certificate authorities that it trusts besides the system's; by default the household's.",
    )
    env: Environment = Field(
        default=(),
        max_length=50,
        description="Further environment variables of its process, each from a secret.",
    )
    pod: ConnectorPod | None = Field(
        default=None,
        description="What a team says about its pods on a cluster; `butlers up` has none and passes it over.",
    )
    suspend: bool = Field(default=False, description="true stops it and keeps its place in the source.")

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
            message="a checkpoint file has one reader; with more than one of `replicas` say `checkpoint: switchboard`",
            holds=lambda spec: (
                spec.replicas == 1 or spec.type == "webhook" or spec.checkpoint == "switchboard"
            ),
            path=".replicas",
        ),
        Rule(
            cel="self.replicas == 1 || self.type != 'webhook'",
            message="a webhook has one pod; remove `replicas`",
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
    """One source of messages."""

    api_version: Literal["butlers.dev/v1alpha1"] = Field(default=API_VERSION, description="API version.")
    kind: Literal["Connector"] = Field(default="Connector", description="Kind.")
    metadata: Metadata = Field(description="Name and labels.")
    spec: ConnectorSpec = Field(
        description="Which source is read, and how. Exactly the block that `type` names is given."
    )
    status: ConnectorStatus | None = Field(
        default=None, description="What the operator saw: conditions, and whether heartbeats arrive."
    )

    RULES: ClassVar[tuple[Rule, ...]] = name_rules(LONGEST_NAME)

    @property
    def name(self) -> str:
        """The name of its process and files."""
        return self.metadata.name
