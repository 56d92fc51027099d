"""The block `delivery` of the Messenger: whom to write to, how often it is tried, what is kept (MSG-11, MSR-07)."""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Literal

from pydantic import AfterValidator, Field, StringConstraints

from butler_resources.kinds.base import ResourceModel, TextSet, each_once
from butler_resources.kinds.rules import Rule
from butler_resources.kinds.service_levels import Slo
from butler_resources.kinds.settings import setting

__all__ = ["ChannelDelivery", "Channels", "Delivery", "DeliveryCircuit", "Limits", "TelegramDelivery"]

TEN_YEARS: Final = 3_650

Intent = Literal["send", "reply"]
Mark = Literal["always", "several"]
Pauses = Annotated[
    tuple[Annotated[float, Field(ge=0.01, le=86_400)], ...],
    Field(min_length=1, max_length=20, json_schema_extra={"x-kubernetes-list-type": "atomic"}),
]
Glyph = Annotated[str, StringConstraints(max_length=16)]
Glyphs = Annotated[tuple[Glyph, ...], Field(min_length=1, max_length=10)]


class ChannelDelivery(ResourceModel):
    """Timeouts, retries, delivery guarantee and rate limit of one channel (MSR-07, D41, MSR-05.2)."""

    timeout_seconds: float | None = setting(
        "Timeout in seconds of one call to the provider.",
        default="15 of telegram, 45 of email",
        ge=0.1,
        le=600,
    )
    connect_timeout_seconds: float | None = setting(
        "Timeout in seconds of the connection and of each step before the message itself; at most timeoutSeconds.",
        default="5 of telegram, 15 of email",
        ge=0.1,
        le=600,
    )
    deferral_pauses_seconds: Pauses | None = setting(
        "Delays in seconds after the first, second and further deferrals by the provider. The last one repeats until "
        "the delivery expires (D87).",
        default=(60, 300, 900, 1800, 3600),
    )
    max_attempts: int | None = setting(
        "Maximum number of attempts before a delivery becomes a dead letter.", default=3, ge=1, le=20
    )
    base_delay_seconds: float | None = setting(
        "Delay in seconds before the second attempt. Later delays double.", default=2, ge=0.01, le=3600
    )
    max_delay_seconds: float | None = setting("Maximum delay in seconds.", default=60, ge=0.01, le=86_400)
    jitter: float | None = setting(
        "Fraction by which a delay is randomly shortened or lengthened.", default=0.3, ge=0, le=1
    )
    at_least_once: Annotated[
        tuple[Intent, ...],
        AfterValidator(each_once),
        Field(json_schema_extra={"x-kubernetes-list-type": "set"}),
    ] = Field(
        default=(),
        max_length=2,
        description="Intents to send again when it is unknown whether they were sent. Defaults to none, so nothing is "
        "sent twice (D41).",
    )
    per_minute: int | None = setting(
        "Maximum number of messages per minute on this channel. One butler may use four fifths of it for non-replies.",
        default="30 of telegram, 20 of email",
        ge=1,
        le=1_000_000,
    )
    reply_within_seconds: float | None = setting(
        "Target time in seconds for sending a reply on this channel (slo.latency).",
        default="30 of telegram, 120 of email",
        ge=1,
        le=86_400,
    )
    send_within_seconds: float | None = setting(
        "Target time in seconds for sending a message that is not a reply.",
        default="60 of telegram, 300 of email",
        ge=1,
        le=86_400,
    )


class TelegramDelivery(ChannelDelivery):
    """Settings of Telegram, whose messages have no subject that says who speaks (MSG-6.3)."""

    mark: Mark | None = setting(
        "Whether every answer begins with the name of its butler, or only where several butlers may answer a message.",
        default="always",
    )


class Limits(ResourceModel):
    """Rate limits per minute. Messages over a limit are sent later (MSR-05, MSG-8)."""

    per_minute: int | None = setting(
        "Maximum number of messages per minute on all channels. One butler may use four fifths of it for non-replies.",
        default=60,
        ge=1,
        le=1_000_000,
    )
    recipient_per_minute: int | None = setting(
        "Maximum number of messages per minute to one recipient, and in one conversation.",
        default=10,
        ge=1,
        le=1_000_000,
    )
    reply_priority: float | None = setting(
        "A reply counts against the limits as one message divided by this number.", default=2, ge=1, le=10
    )


class DeliveryCircuit(ResourceModel):
    """Circuit breaker for a provider that does not answer (MSR-06, MSG-9)."""

    failures: int | None = setting(
        "Number of consecutive unanswered calls that open the circuit.",
        default=5,
        ge=1,
        le=1000,
    )
    reset_seconds: float | None = setting(
        "Seconds that an open circuit blocks all calls before it lets one through.",
        default=60,
        ge=0.01,
        le=3600,
    )
    probes: int | None = setting(
        "Number of messages that the provider must accept, one at a time, to close the circuit.",
        default=2,
        ge=1,
        le=100,
    )


def _within(part: float | None, whole: float | None) -> bool:
    return part is None or whole is None or part <= whole


class Channels(ResourceModel):
    """Settings by channel, for channels with other than the default settings."""

    telegram: TelegramDelivery | None = Field(default=None, description="Settings of Telegram.")
    email: ChannelDelivery | None = Field(default=None, description="Settings of email.")


class Delivery(ResourceModel):
    """Recipients, rate limits, retries and retention of deliveries (MSG-11.3, D18)."""

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="!has(self.deadLetterReplayDays) || !has(self.deadLetterDays) || "
            "self.deadLetterReplayDays <= self.deadLetterDays",
            message="deadLetterReplayDays exceeds the retention of dead letters; give at most deadLetterDays",
            holds=lambda delivery: _within(delivery.dead_letter_replay_days, delivery.dead_letter_days),
            path=".deadLetterReplayDays",
        ),
    )

    allow_recipients: TextSet = Field(
        default=(), max_length=1000, description="Allowed recipients. If set, nobody else gets messages."
    )
    deny_recipients: TextSet = Field(
        default=(), max_length=1000, description="Recipients that never get messages."
    )
    max_in_flight: int | None = setting(
        "Maximum number of unfinished deliveries. Further ones are temporarily refused.",
        default=100,
        ge=1,
        le=10_000,
    )
    expires_after_seconds: float | None = setting(
        "Age in seconds at which an unfinished delivery expires.", default=86_400, ge=60, le=30 * 86_400
    )
    worker_count: int | None = setting(
        "Number of deliveries processed at the same time.", default=8, ge=1, le=256
    )
    answer_wait_seconds: float | None = setting(
        "Seconds that a caller waits for the result of a delivery before it gets `queued` (D18).",
        default=1,
        ge=0,
        le=2,
    )
    strangers_at_once: int | None = setting(
        "Maximum number of single messages about strangers to a person within a window. The others form one digest.",
        default=10,
        ge=0,
        le=1000,
    )
    strangers_window_seconds: float | None = setting(
        "Length in seconds of the window for messages about strangers.", default=600, ge=1, le=86_400
    )
    channels: Channels | None = Field(
        default=None,
        description="Timeouts, retries and rate limits by channel (MSR-07).",
    )
    limits: Limits | None = Field(default=None, description="Rate limits per minute (MSR-05).")
    circuit: DeliveryCircuit | None = Field(
        default=None,
        description="Circuit breaker for a provider that does not answer (MSR-06).",
    )
    slo: Slo | None = Field(
        default=None,
        description="Service level objectives of deliveries, and what is slowed down while they are missed (MSG-15).",
    )
    dedupe_retention_days: int | None = setting(
        "Days to keep a delivery and its idempotency key (D55).", default=365, ge=1, le=TEN_YEARS
    )
    dead_letter_days: int | None = setting("Days to keep a dead letter.", default=90, ge=1, le=TEN_YEARS)
    dead_letter_max: int | None = setting(
        "Maximum number of dead letters. The oldest are removed first.", default=10_000, ge=1, le=1_000_000
    )
    dead_letter_max_replays: int | None = setting(
        "Maximum number of replays of one dead letter message, in total; 0 for none.",
        default=10,
        ge=0,
        le=1000,
    )
    dead_letter_replay_days: int | None = setting(
        "Maximum age in days at which a dead letter can be replayed.",
        default="as long as it is kept, delivery.deadLetterDays",
        ge=1,
        le=TEN_YEARS,
    )
    mail_domain: (
        Annotated[
            str, StringConstraints(pattern=r"^[A-Za-z0-9]([-.A-Za-z0-9]*[A-Za-z0-9])?$", max_length=253)
        ]
        | None
    ) = Field(
        default=None, description="Domain of generated Message-IDs. Defaults to that of the mail address."
    )
    reaction_glyphs: dict[Glyph, Glyphs] | None = setting(
        "Reactions to set for an emoji that represents a state, tried in order (D21).",
        default={"✅": ("✅", "👍")},
        max_length=20,
    )
