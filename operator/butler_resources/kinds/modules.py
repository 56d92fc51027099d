"""The block `modules`: Messenger's channels, files and calendar, what waits for an approval, and memory (MSR-02, D53).

Only bot scope exists (D48): credentials come from references, and a channel without a block is off.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Literal

from pydantic import AfterValidator, Field, StringConstraints

from butler_contracts.model_urls import ORIGIN_IN_CLEAR, PRIVATE_HTTP, key_in_clear
from butler_resources.kinds.base import (
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
        default=None, description="Bot API server; by default https://api.telegram.org."
    )


class SentMailbox(Server):
    """Where the account's sent mail can be read: the evidence for an uncertain delivery (D41)."""

    name: ShortText = Field(default="Sent", description="Folder of sent mail.")


class Inbox(Server):
    """The account's mailbox of incoming mail, read-only: what the tools `email_*_inbox` look into (MSG-5, D47)."""

    name: ShortText = Field(default="INBOX", description="Folder of incoming mail.")
    endpoint_identity: ShortText | None = Field(
        default=None,
        description="Name under which its mails enter: that of the Connector which reads the same mailbox, so that "
        "none enters twice; by default imap: and the address.",
    )


class EmailBot(ResourceModel):
    """A mail account that sends and replies."""

    address: ShortText = Field(description="The account's address, also its user name.")
    password_secret_ref: SecretRef = Field(description="Secret and key that hold the account's password.")
    smtp: Server = Field(description="Server that takes outgoing mail.")
    sent_mailbox: SentMailbox | None = Field(
        default=None, description="Where sent mail is filed: evidence for a delivery that broke off."
    )
    sent_autofile: bool = Field(
        default=False, description="Whether the provider itself files what is sent by SMTP (D41)."
    )
    list_unsubscribe: bool = Field(
        default=True,
        description="Whether mail that nobody asked for says that a mail to this account ends it (List-Unsubscribe); "
        "false where no Connector reads the account's mailbox.",
    )

    inbox: Inbox | None = Field(
        default=None,
        description="Where incoming mail is read: lets an operator search it, read a mail, and have what is there "
        "routed. Nothing in it is ever marked.",
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
            message="`sentAutofile: true` needs `sentMailbox`: the place to look for what was sent",
            holds=lambda bot: not bot.sent_autofile or bot.sent_mailbox is not None,
        ),
    )


class TelegramModule(ResourceModel):
    """Telegram, by scope."""

    bot: TelegramBot = Field(description="The account in whose name Messenger speaks.")


class EmailModule(ResourceModel):
    """E-mail, by scope."""

    bot: EmailBot = Field(description="The account in whose name Messenger speaks.")


class Approvals(ResourceModel):
    """What is sent only once a person has approved of it, and who may (MSR-03, D44, D65)."""

    gated_tools: GatedTools | None = setting(
        "Tools by which nothing is sent without an approval; notify is whatever a butler says unasked, by any channel.",
        default=("telegram_send_message", "email_send_message", "notify"),
    )
    expires_after_seconds: float | None = setting(
        "Seconds after which what nobody decided ends unsent.", default=259_200, ge=60, le=30 * 86_400
    )
    approvers: TextSet = Field(
        default=(),
        max_length=20,
        description="Names of contacts, owner or adults, who are asked and may decide; by default the owner.",
    )


Origin = Annotated[str, StringConstraints(pattern=r"^https?://[^\s/?#@]+(/[^\s?#]*)?$", max_length=500)]
Origins = Annotated[
    tuple[Origin, ...],
    Field(min_length=1, max_length=20, json_schema_extra={"x-kubernetes-list-type": "set"}),
    AfterValidator(each_once),
]


class Attachments(ResourceModel):
    """Where files may be fetched from that butlers send with a message, by Telegram and by mail."""

    origins: Origins = Field(
        description="Addresses below which files may be: scheme, host, port, and a folder such as "
        "https://files.example.org/out/. Anything else is refused. Addresses of one's own network are reached only "
        "where an origin is one by its form: http://10.0.0.5:9000/, http://minio.storage.svc:9000/."
    )
    token_secret_ref: SecretRef | None = Field(
        default=None,
        description="Secret and key that hold the bearer token which every origin is shown; without it none is.",
    )
    timeout_seconds: float | None = setting(
        "Seconds that fetching one file may take.", default=30.0, gt=0, le=120
    )
    patience_seconds: float | None = setting(
        "Seconds for which a store that is away holds a message up, a reply for a minute at most; then it goes "
        "without the file, and says which one.",
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
    """What people say of themselves, kept for them alone (SWB-24.2, D68)."""

    half_life_days: int | None = setting(
        "Days after which what somebody said in passing is relied on half as much; what they asked to be remembered "
        "lasts ten times as long.",
        default=180,
        ge=1,
        le=3650,
    )
    episode_days: int | None = setting(
        "Days for which it is kept what somebody spoke of in a thread.", default=90, ge=1, le=3650
    )


_DAY: Final = ("08:00", "20:00")
_DAY_CEL: Final = (
    f"(has(self.dayStart) ? self.dayStart : '{_DAY[0]}') < (has(self.dayEnd) ? self.dayEnd : '{_DAY[1]}')"
)


class CalendarModule(ResourceModel):
    """The household's calendar at a provider (MSR-01.2, D53); of a specialist that its appointments go there."""

    provider: Literal["google", "caldav"] | None = setting(
        "Where the calendar is: at Google, or at a CalDAV server such as Nextcloud, iCloud or Fastmail.",
        default="google",
    )
    url: HttpUrl | None = Field(
        default=None,
        description="Of caldav the address of the calendar, as its program shows it; of google another API server than "
        "https://www.googleapis.com/calendar/v3.",
    )
    calendar_id: ShortText | None = Field(
        default=None,
        description="Of google which of the account's calendars, as its settings name it, by default primary; of "
        "caldav the folder below `url`, where that is the address of all calendars of the account.",
    )
    username: ShortText | None = Field(default=None, description="Of caldav, the account's user name.")
    secret_ref: SecretRef | None = Field(
        default=None,
        description="Secret and key that hold, of caldav, the account's password, of google the JSON object of an "
        "authorized user. Without it, or without the secret, the calendar is off and nothing else changes.",
    )
    conflicts: Literal["suggest"] | None = setting(
        "What becomes of a wish that meets an event: nothing is booked, the three nearest free times are proposed.",
        default="suggest",
    )
    day_start: WallTime | None = setting("From when on free times are proposed.", default=_DAY[0])
    day_end: WallTime | None = setting("Until when.", default=_DAY[1])
    timeout_seconds: float | None = setting(
        "Seconds that one call of the provider may take.", default=10.0, gt=0, le=30
    )
    appointment_minutes: int | None = setting(
        "Specialists only: minutes of an appointment of which nobody said how long.",
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
            message="`username` is for `provider: caldav`; remove it, or name the provider",
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
    """The channels that Messenger delivers to, what waits for an approval first, and files; a specialist's memory."""

    telegram: TelegramModule | None = Field(
        default=None, description="Telegram, when given: Messenger sends, replies and reacts there."
    )
    email: EmailModule | None = Field(
        default=None, description="E-mail, when given: Messenger sends and replies by SMTP."
    )
    approvals: Approvals | None = Field(
        default=None,
        description="When given, what butlers send unasked waits for a person's approval (MSR-03).",
    )
    attachments: Attachments | None = Field(
        default=None,
        description="When given, butlers may send files with a message; where from, is said here (ADR 0103).",
    )
    memory: MemoryModule | None = Field(
        default=None,
        description="Specialists only: when given, it remembers what people say of themselves, and tells only them.",
    )
    calendar: CalendarModule | None = Field(
        default=None,
        description="Messenger: the household's calendar, off without a secret. Specialist: when given, its "
        "appointments are booked there.",
    )
