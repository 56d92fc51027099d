"""The block `modules`: Messenger's channels, files and calendar, what waits for an approval, and memory (MSR-02, D53).

Only bot scope exists (D48): credentials come from references, and a channel without a block is off.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Literal

from pydantic import AfterValidator, Field, StringConstraints

from butler_contracts.model_urls import ORIGIN_IN_CLEAR, PRIVATE_HTTP, key_in_clear
from butler_resources.kinds.base import (
    DnsName,
    HttpUrl,
    ResourceModel,
    SecretRef,
    Server,
    ShortText,
    TextSet,
    WallTime,
    each_once,
)
from butler_resources.kinds.rules import Rule
from butler_resources.kinds.settings import setting

__all__ = [
    "OF_THE_ACCOUNT",
    "Approvals",
    "Attachments",
    "CalendarModule",
    "EmailBot",
    "Inbox",
    "MemoryModule",
    "Modules",
    "SentMailbox",
    "TelegramBot",
]

GatedTool = Literal[
    "telegram_send_message",
    "telegram_reply_to_message",
    "email_send_message",
    "email_reply_to_thread",
    "notify",
]
GatedTools = Annotated[
    tuple[GatedTool, ...],
    Field(min_length=1, max_length=5, json_schema_extra={"x-kubernetes-list-type": "set"}),
    AfterValidator(each_once),
]


class TelegramBot(ResourceModel):
    """A Telegram bot that sends, replies and reacts."""

    token_secret_ref: SecretRef = Field(description="Secret and key that hold the bot's token.")
    api_base_url: HttpUrl | None = Field(
        default=None, description="Bot API server. Defaults to https://api.telegram.org."
    )


class SentMailbox(Server):
    """Mailbox of the account's sent mail: the evidence for an uncertain delivery (D41)."""

    name: ShortText = Field(default="Sent", description="Folder of sent mail.")


class Inbox(Server):
    """Mailbox of the account's incoming mail, read-only, for the tools `email_*_inbox` (MSG-5, D47)."""

    name: ShortText = Field(default="INBOX", description="Folder of incoming mail.")
    endpoint_identity: ShortText | None = Field(
        default=None,
        description="Endpoint identity of its mails. Use that of the Connector that reads the same mailbox, so that no "
        "mail is accepted twice. Defaults to imap: and the address.",
    )


class EmailBot(ResourceModel):
    """A mail account that sends and replies."""

    address: ShortText = Field(description="Address of the account, also its user name.")
    password_secret_ref: SecretRef = Field(description="Secret and key that hold the account's password.")
    smtp: Server = Field(description="Server for outgoing mail.")
    sent_mailbox: SentMailbox | None = Field(
        default=None, description="Mailbox of sent mail: evidence for an interrupted delivery."
    )
    sent_autofile: bool = Field(
        default=False, description="Whether the provider itself files mail sent by SMTP (D41)."
    )
    list_unsubscribe: bool = Field(
        default=True,
        description="Whether unsolicited mail offers to unsubscribe by a mail to this account (List-Unsubscribe). Set "
        "to false if no Connector reads the account's mailbox.",
    )

    inbox: Inbox | None = Field(
        default=None,
        description="Mailbox of incoming mail, so that an operator can search it, read a mail, and submit it for "
        "routing. Nothing in it is ever marked.",
    )

    @property
    def mailbox_identity(self) -> str | None:
        """The endpoint identity of what is in the inbox; None without one."""
        if self.inbox is None:
            return None
        return self.inbox.endpoint_identity or f"imap:{self.address}"

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="!self.sentAutofile || has(self.sentMailbox)",
            message="`sentAutofile: true` needs `sentMailbox`, to look up sent mail",
            holds=lambda bot: not bot.sent_autofile or bot.sent_mailbox is not None,
        ),
    )


class TelegramModule(ResourceModel):
    """Telegram accounts by scope."""

    bot: TelegramBot = Field(description="Account that Messenger sends from.")


class EmailModule(ResourceModel):
    """Mail accounts by scope."""

    bot: EmailBot = Field(description="Account that Messenger sends from.")


class Approvals(ResourceModel):
    """Messages that need approval before they are sent, and their approvers (MSR-03, D44, D65)."""

    gated_tools: GatedTools | None = setting(
        "Tools that need approval before they send. notify covers all unsolicited messages of butlers, on any channel.",
        default=("telegram_send_message", "email_send_message", "notify"),
    )
    expires_after_seconds: float | None = setting(
        "Seconds after which an undecided approval expires and nothing is sent.",
        default=259_200,
        ge=60,
        le=30 * 86_400,
    )
    approvers: TextSet = Field(
        default=(),
        max_length=20,
        description="Names of contacts, owner or adults, who are asked and may decide. Defaults to the owner.",
    )


ButlerNames = Annotated[
    tuple[DnsName, ...],
    Field(json_schema_extra={"x-kubernetes-list-type": "set"}),
    AfterValidator(each_once),
]
Origin = Annotated[str, StringConstraints(pattern=r"^https?://[^\s/?#@]+(/[^\s?#]*)?$", max_length=500)]
Origins = Annotated[
    tuple[Origin, ...],
    Field(min_length=1, max_length=20, json_schema_extra={"x-kubernetes-list-type": "set"}),
    AfterValidator(each_once),
]


class Attachments(ResourceModel):
    """Sources of files that butlers attach to messages, by Telegram and by mail."""

    origins: Origins = Field(
        description="Base URLs of allowed files: scheme, host, port, and a folder, such as "
        "https://files.example.org/out/. Anything else is refused. A private network is reached only if an origin is a "
        "private address itself, such as http://10.0.0.5:9000/ or http://minio.storage.svc:9000/."
    )
    token_secret_ref: SecretRef | None = Field(
        default=None,
        description="Secret and key that hold the bearer token sent to every origin. Defaults to none.",
    )
    timeout_seconds: float | None = setting(
        "Timeout in seconds for fetching one file.", default=30.0, gt=0, le=120
    )
    patience_seconds: float | None = setting(
        "Seconds that a message waits for an unavailable store; a reply waits at most a minute. After that it is sent "
        "without the file, and names it.",
        default=900.0,
        ge=0,
        le=86_400,
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="self.origins.all(origin, origin.startsWith('https://') || "
            f"origin.matches('{PRIVATE_HTTP}'))",
            message=f"`origins`: {ORIGIN_IN_CLEAR}",
            holds=lambda module: not any(key_in_clear(origin) for origin in module.origins),
            path=".origins",
        ),
    )


class MemoryModule(ResourceModel):
    """Memory of what people say about themselves, private to each person (SWB-24.2, D68)."""

    half_life_days: int | None = setting(
        "Half-life in days of the weight of something said in passing. What a person asked to remember lasts ten times "
        "as long.",
        default=180,
        ge=1,
        le=3650,
    )
    episode_days: int | None = setting(
        "Days to keep what a person talked about in a thread.", default=90, ge=1, le=3650
    )
    shared_with: ButlerNames = Field(
        default=(),
        max_length=20,
        description="Names of butlers whose model may know what the writer of a message told this one about themselves "
        "(D69). Nothing is shared in a group, and no other person's facts ever. Defaults to none.",
    )


_DAY: Final = ("08:00", "20:00")
_DAY_CEL: Final = (
    f"(has(self.dayStart) ? self.dayStart : '{_DAY[0]}') < (has(self.dayEnd) ? self.dayEnd : '{_DAY[1]}')"
)


class CalendarModule(ResourceModel):
    """The household's calendar at a provider (MSR-01.2, D53). A specialist with it books its appointments there."""

    provider: Literal["google", "caldav"] | None = setting(
        "Provider of the calendar: Google, or a CalDAV server such as Nextcloud, iCloud or Fastmail.",
        default="google",
    )
    url: HttpUrl | None = Field(
        default=None,
        description="For caldav: URL of the calendar, as its application shows it. For google: API server, if not "
        "https://www.googleapis.com/calendar/v3.",
    )
    calendar_id: ShortText | None = Field(
        default=None,
        description="For google: ID of the calendar, as in its settings; defaults to primary. For caldav: folder below "
        "`url`, if that is the URL of all calendars of the account.",
    )
    username: ShortText | None = Field(default=None, description="For caldav: user name of the account.")
    secret_ref: SecretRef | None = Field(
        default=None,
        description="Secret and key that hold the account's password (caldav) or the JSON object of an authorized user "
        "(google). Without it, or without the secret, the calendar is off and nothing else changes.",
    )
    conflicts: Literal["suggest"] | None = setting(
        "Handling of a request that conflicts with an event. suggest: nothing is booked, the three nearest free times "
        "are proposed.",
        default="suggest",
    )
    day_start: WallTime | None = setting(
        "Start of the hours in which free times are proposed.", default=_DAY[0]
    )
    day_end: WallTime | None = setting("End of the hours in which free times are proposed.", default=_DAY[1])
    timeout_seconds: float | None = setting(
        "Timeout in seconds of one call to the provider.", default=10.0, gt=0, le=30
    )
    appointment_minutes: int | None = setting(
        "Specialists only: length in minutes of an appointment without a stated length.",
        default=60,
        ge=5,
        le=1440,
    )

    @property
    def names_an_account(self) -> bool:
        """Whether anything is said that only Messenger can use."""
        return any(getattr(self, name) is not None for name in OF_THE_ACCOUNT)

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="!has(self.provider) || self.provider != 'caldav' || (has(self.url) && has(self.username))",
            message="`provider: caldav` needs `url`, the address of the calendar, and `username`",
            holds=lambda module: (
                module.provider != "caldav" or (module.url is not None and module.username is not None)
            ),
        ),
        Rule(
            cel="(has(self.provider) && self.provider == 'caldav') || !has(self.username)",
            message="`username` belongs to `provider: caldav`; remove it or set the provider",
            holds=lambda module: module.provider == "caldav" or module.username is None,
        ),
        Rule(
            cel=_DAY_CEL,
            message="set `dayStart` before `dayEnd`",
            holds=lambda module: (module.day_start or _DAY[0]) < (module.day_end or _DAY[1]),
        ),
    )


OF_THE_ACCOUNT: Final = (
    "provider",
    "url",
    "calendar_id",
    "username",
    "secret_ref",
    "conflicts",
    "day_start",
    "day_end",
    "timeout_seconds",
)
"""What of a calendar is Messenger's."""


class Modules(ResourceModel):
    """Messenger: delivery channels, approvals, attachments and calendar. Specialist: memory and calendar."""

    telegram: TelegramModule | None = Field(
        default=None, description="Telegram. If set, Messenger sends, replies and reacts there."
    )
    email: EmailModule | None = Field(
        default=None, description="Email. If set, Messenger sends and replies by SMTP."
    )
    approvals: Approvals | None = Field(
        default=None,
        description="If set, unsolicited messages of butlers wait for a person's approval (MSR-03).",
    )
    attachments: Attachments | None = Field(
        default=None,
        description="If set, butlers may attach files from these origins to messages (ADR 0103).",
    )
    memory: MemoryModule | None = Field(
        default=None,
        description="Specialists only: if set, the butler remembers what people say about themselves, and tells only "
        "them.",
    )
    calendar: CalendarModule | None = Field(
        default=None,
        description="Messenger: the household's calendar, off without a secret. Specialist: if set, its appointments "
        "are booked there.",
    )
