"""`[modules.CHANNEL.SCOPE]`: identity-scoped credentials, named by variable only (MSG-11.1, D48).

Invariant: no field here holds a secret; an enabled scope names the variables that do.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from butler_contracts.model_urls import ORIGIN_IN_CLEAR, key_in_clear
from butler_contracts.person_settings import WallTime
from butler_contracts.text import ButlerName, Identity

__all__ = [
    "ApprovalsConfig",
    "AttachmentsConfig",
    "CalendarConfig",
    "EmailBotConfig",
    "EmailModule",
    "InboxMailbox",
    "MailServer",
    "MemoryConfig",
    "ModulesConfig",
    "SentMailbox",
    "TelegramBotConfig",
    "TelegramModule",
    "UserScope",
]

GatedTool = Literal[
    "telegram_send_message",
    "telegram_reply_to_message",
    "email_send_message",
    "email_reply_to_thread",
    "notify",
]
"""What can wait for an approval; `notify` is any unsolicited message of a butler, by any channel (ADR 0072)."""

EnvName = Annotated[str, Field(pattern="^[A-Za-z_][A-Za-z0-9_]*$")]
Port = Annotated[int, Field(ge=1, le=65535)]


class _Module(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class UserScope(_Module):
    """A person's own account: always off, its secrets are kept nowhere (D48)."""

    enabled: bool = False

    @field_validator("enabled")
    @classmethod
    def _stays_off(cls, value: bool) -> bool:
        if value:
            raise ValueError("the user scope is not available, only [modules.CHANNEL.bot] is")
        return value


class TelegramBotConfig(_Module):
    """`[modules.telegram.bot]`: the household's bot; `api_base_url` points at a Bot API server."""

    enabled: bool = True
    token_env: EnvName = "BUTLER_TELEGRAM_TOKEN"  # noqa: S105 - a name
    api_base_url: str = "https://api.telegram.org"


class MailServer(_Module):
    """Where mail is handed over: `tls` is `implicit` (465), `starttls` (587) or `none`."""

    host: str
    port: Port = 465
    tls: Literal["implicit", "starttls", "none"] = "implicit"


class SentMailbox(_Module):
    """The IMAP mailbox in which the account's sent mail can be found, as evidence (D41)."""

    host: str
    port: Port = 993
    tls: Literal["implicit", "starttls", "none"] = "implicit"
    name: str = "Sent"


class InboxMailbox(_Module):
    """The IMAP mailbox of incoming mail; its mails enter as those of `endpoint_identity` (MSG-5, D47)."""

    host: str
    port: Port = 993
    tls: Literal["implicit", "starttls", "none"] = "implicit"
    name: str = "INBOX"
    endpoint_identity: Identity


class EmailBotConfig(_Module):
    """`[modules.email.bot]`: the household's mail account."""

    enabled: bool = True
    address_env: EnvName = "BUTLER_EMAIL_ADDRESS"
    password_env: EnvName = "BUTLER_EMAIL_PASSWORD"  # noqa: S105 - a name
    smtp: MailServer
    sent_mailbox: SentMailbox | None = None
    sent_autofile: bool = False
    list_unsubscribe: bool = True
    """Whether a mail that nobody asked for names this mailbox as where to want no more (docs/adr/0086)."""
    inbox: InboxMailbox | None = None


class TelegramModule(_Module):
    """`[modules.telegram]`."""

    bot: TelegramBotConfig | None = None
    user: UserScope = UserScope()


class EmailModule(_Module):
    """`[modules.email]`."""

    bot: EmailBotConfig | None = None
    user: UserScope = UserScope()


class ApprovalsConfig(_Module):
    """`[modules.approvals]`: what is sent only once a person has approved of it (MSR-03, D44); off without it.

    `approvers` are names of contacts; without any it is the owner (D65).
    """

    gated_tools: Annotated[tuple[GatedTool, ...], Field(min_length=1)] = (
        "telegram_send_message",
        "email_send_message",
        "notify",
    )
    expires_after_s: Annotated[float, Field(ge=60, le=30 * 86_400, allow_inf_nan=False)] = 259_200.0
    approvers: tuple[Annotated[str, Field(min_length=1)], ...] = ()


Origin = Annotated[str, Field(pattern=r"^https?://[^\s/?#@]+(/[^\s?#]*)?$", max_length=500)]


class AttachmentsConfig(_Module):
    """`[modules.attachments]`: where files may come from that go out with a message (ADR 0103); off without it."""

    origins: Annotated[tuple[Origin, ...], Field(min_length=1, max_length=20)]
    """Scheme, host, port and folder. Addresses of one's own network are reached by what names one by its form alone."""
    token_env: EnvName | None = None
    """The bearer token that each of them is shown. It need not be set: then none is shown."""
    timeout_s: Annotated[float, Field(gt=0, le=120, allow_inf_nan=False)] = 30.0
    """For one file as a whole."""
    patience_s: Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)] = 900.0
    """How long a store that is away holds a message up; then it goes without the file, and says so."""

    @model_validator(mode="after")
    def _keeps_its_token(self) -> Self:
        if any(key_in_clear(origin) for origin in self.origins):
            raise ValueError(f"origins: {ORIGIN_IN_CLEAR}")
        return self


class MemoryConfig(_Module):
    """`[modules.memory]`: a specialist keeps what people say of themselves (SWB-24.2, D53); off without it.

    What was said in passing is relied on half as much after each half-life; episodes are kept so many days. The
    butlers `shared_with` may know the facts that the writer of their message told here (D69).
    """

    half_life_days: Annotated[int, Field(ge=1, le=3650)] = 180
    episode_days: Annotated[int, Field(ge=1, le=3650)] = 90
    shared_with: Annotated[tuple[ButlerName, ...], Field(max_length=20)] = ()


class CalendarConfig(_Module):
    """`[modules.calendar]`: the household's calendar at a provider (MSR-01.2, SWB-24.2); off while it has no secret.

    Of a specialist the table says that its appointments go there; it has `appointment_minutes` alone.
    """

    provider: Literal["google", "caldav"] = "google"
    url: Annotated[str, Field(pattern=r"^https?://\S+$")] | None = None
    """Of CalDAV that of the calendar itself; of Google that of another API server."""
    calendar_id: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    """Of Google, as the calendar's settings name it, else `primary`; of CalDAV a folder below `url`."""
    username: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    """Of CalDAV."""
    secret_env: EnvName = "BUTLER_CALENDAR_SECRET"  # noqa: S105 - a name
    """Of CalDAV a password, of Google the JSON object of an authorized user."""
    conflicts: Literal["suggest"] = "suggest"
    """What is in the way is never booked over: free times are proposed."""
    day_start: WallTime = "08:00"
    day_end: WallTime = "20:00"
    """Between which hours free times are proposed."""
    timeout_s: Annotated[float, Field(gt=0, le=30, allow_inf_nan=False)] = 10.0
    """Of one call of the provider."""
    appointment_minutes: Annotated[int, Field(ge=5, le=1440)] = 60
    """How long an appointment is of which nobody said how long."""

    @model_validator(mode="after")
    def _can_be_found(self) -> Self:
        if self.provider == "caldav" and (self.url is None or self.username is None):
            raise ValueError("a CalDAV calendar needs url and username")
        if self.day_start >= self.day_end:
            raise ValueError("day_start is not before day_end")
        return self


class ModulesConfig(_Module):
    """`[modules]`: the channels that this butler has; what is not named is off, approvals, files and memory too."""

    telegram: TelegramModule | None = None
    email: EmailModule | None = None
    approvals: ApprovalsConfig | None = None
    attachments: AttachmentsConfig | None = None
    memory: MemoryConfig | None = None
    calendar: CalendarConfig | None = None
