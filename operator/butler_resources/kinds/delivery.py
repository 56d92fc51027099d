"""The block `delivery` of the Messenger: whom to write to, how often it is tried, what is kept (MSG-11, MSR-07)."""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Literal

from pydantic import AfterValidator, Field, StringConstraints

from butler_resources.kinds.base import ResourceModel, TextSet, each_once
from butler_resources.kinds.rules import Rule
from butler_resources.kinds.service_levels import Slo
from butler_resources.kinds.settings import setting

__all__ = ["ChannelDelivery", "Channels", "Delivery", "DeliveryCircuit", "Limits"]

TEN_YEARS: Final = 3_650

Intent = Literal["send", "reply"]
Pauses = Annotated[
    tuple[Annotated[float, Field(ge=0.01, le=86_400)], ...],
    Field(min_length=1, max_length=20, json_schema_extra={"x-kubernetes-list-type": "atomic"}),
]
Glyph = Annotated[str, StringConstraints(max_length=16)]
Glyphs = Annotated[tuple[Glyph, ...], Field(min_length=1, max_length=10)]


class ChannelDelivery(ResourceModel):
    """Time-out, retries, guarantee and budget of one channel (MSR-07, D41, MSR-05.2)."""

    timeout_seconds: float | None = setting(
        "Longest time in seconds that one call of the provider may take.",
        default="15 of telegram, 45 of email",
        ge=0.1,
        le=600,
    )
    connect_timeout_seconds: float | None = setting(
        "Longest time in seconds for the connection and each step before the message itself; never more than "
        "timeoutSeconds.",
        default="5 of telegram, 15 of email",
        ge=0.1,
        le=600,
    )
    deferral_pauses_seconds: Pauses | None = setting(
        "Pauses in seconds after the provider's first, second and further `later`; the last one is kept until the "
        "delivery expires (D87).",
        default=(60, 300, 900, 1800, 3600),
    )
    max_attempts: int | None = setting(
        "Attempts at most; after them the delivery is a dead letter.", default=3, ge=1, le=20
    )
    base_delay_seconds: float | None = setting(
        "Pause in seconds before the second attempt; later ones double.", default=2, ge=0.01, le=3600
    )
    max_delay_seconds: float | None = setting("Longest pause in seconds.", default=60, ge=0.01, le=86_400)
    jitter: float | None = setting(
        "Part of a pause by which chance makes it shorter or longer.", default=0.3, ge=0, le=1
    )
    at_least_once: Annotated[
        tuple[Intent, ...],
        AfterValidator(each_once),
        Field(json_schema_extra={"x-kubernetes-list-type": "set"}),
    ] = Field(
        default=(),
        max_length=2,
        description="Intents that are sent again when nobody knows whether they were sent; by default none, so "
        "nothing is sent twice (D41).",
    )
    per_minute: int | None = setting(
        "Messages that go out by this channel in a minute; of these one butler alone sends at most four fifths.",
        default="30 of telegram, 20 of email",
        ge=1,
        le=1_000_000,
    )
    reply_within_seconds: float | None = setting(
        "Seconds within which a reply is to be sent by this channel (slo.latency).",
        default="30 of telegram, 120 of email",
        ge=1,
        le=86_400,
    )
    send_within_seconds: float | None = setting(
        "The same for a message that answers nothing.",
        default="60 of telegram, 300 of email",
        ge=1,
        le=86_400,
    )


class Limits(ResourceModel):
    """What may be said within a minute; what is more comes later (MSR-05, MSG-8)."""

    per_minute: int | None = setting(
        "Messages that go out in a minute, by all channels; of these one butler alone sends at most four fifths.",
        default=60,
        ge=1,
        le=1_000_000,
    )
    recipient_per_minute: int | None = setting(
        "Messages in a minute to one recipient, and in one conversation.", default=10, ge=1, le=1_000_000
    )
    reply_priority: float | None = setting(
        "A reply counts as one part in so many of a message that answers nothing.", default=2, ge=1, le=10
    )


class DeliveryCircuit(ResourceModel):
    """When a provider that does not answer is left alone, and for how long (MSR-06, MSG-9)."""

    failures: int | None = setting(
        "Calls in a row that a provider leaves without an answer and that open its circuit.",
        default=5,
        ge=1,
        le=1000,
    )
    reset_seconds: float | None = setting(
        "Seconds for which nothing is sent before the next call is let through.",
        default=60,
        ge=0.01,
        le=3600,
    )
    probes: int | None = setting(
        "Messages that the provider has to take, one at a time, before the others follow.",
        default=2,
        ge=1,
        le=100,
    )


def _within(part: float | None, whole: float | None) -> bool:
    return part is None or whole is None or part <= whole


class Channels(ResourceModel):
    """One block for each channel that is not to be tried as by default."""

    telegram: ChannelDelivery | None = Field(default=None, description="How Telegram is tried.")
    email: ChannelDelivery | None = Field(default=None, description="How e-mail is tried.")


class Delivery(ResourceModel):
    """Who may be written to, how much at once, for how long it is tried, what is kept (MSG-11.3, D18)."""

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="!has(self.deadLetterReplayDays) || !has(self.deadLetterDays) || "
            "self.deadLetterReplayDays <= self.deadLetterDays",
            message="deadLetterReplayDays is longer than a dead letter is kept; give at most deadLetterDays",
            holds=lambda delivery: _within(delivery.dead_letter_replay_days, delivery.dead_letter_days),
            path=".deadLetterReplayDays",
        ),
    )

    allow_recipients: TextSet = Field(
        default=(), max_length=1000, description="When given, nobody else is written to."
    )
    deny_recipients: TextSet = Field(
        default=(), max_length=1000, description="Recipients that are never written to."
    )
    max_in_flight: int | None = setting(
        "Deliveries that may be unfinished at the same time; further ones are refused for now.",
        default=100,
        ge=1,
        le=10_000,
    )
    expires_after_seconds: float | None = setting(
        "Age in seconds at which an unfinished delivery is given up.", default=86_400, ge=60, le=30 * 86_400
    )
    worker_count: int | None = setting(
        "Deliveries that are worked on at the same time.", default=8, ge=1, le=256
    )
    answer_wait_seconds: float | None = setting(
        "Seconds that a caller waits for the end of a delivery before it is told `queued` (D18).",
        default=1,
        ge=0,
        le=2,
    )
    strangers_at_once: int | None = setting(
        "Messages about strangers that a person gets one by one within a window; the others are one digest.",
        default=10,
        ge=0,
        le=1000,
    )
    strangers_window_seconds: float | None = setting(
        "Length in seconds of that window.", default=600, ge=1, le=86_400
    )
    channels: Channels | None = Field(
        default=None,
        description="Time-outs, retries and budget of a channel that is not tried as by default (MSR-07).",
    )
    limits: Limits | None = Field(
        default=None, description="What may be said within a minute, when it is not the default (MSR-05)."
    )
    circuit: DeliveryCircuit | None = Field(
        default=None,
        description="When a provider that does not answer is left alone, when it is not the default (MSR-06).",
    )
    slo: Slo | None = Field(
        default=None,
        description="How good deliveries are to be and what is slowed down while they are not, when it is not the "
        "default (MSG-15).",
    )
    dedupe_retention_days: int | None = setting(
        "Days that a delivery and its idempotency key are kept (D55).", default=365, ge=1, le=TEN_YEARS
    )
    dead_letter_days: int | None = setting("Days that a dead letter is kept.", default=90, ge=1, le=TEN_YEARS)
    dead_letter_max: int | None = setting(
        "Dead letters kept at most; the oldest go first.", default=10_000, ge=1, le=1_000_000
    )
    dead_letter_max_replays: int | None = setting(
        "How often one message that became a dead letter may be sent again, in all; 0 for never.",
        default=10,
        ge=0,
        le=1000,
    )
    dead_letter_replay_days: int | None = setting(
        "Age in days up to which a dead letter may be sent again.",
        default="as long as it is kept, delivery.deadLetterDays",
        ge=1,
        le=TEN_YEARS,
    )
    mail_domain: (
        Annotated[
            str, StringConstraints(pattern=r"^[A-Za-z0-9]([-.A-Za-z0-9]*[A-Za-z0-9])?$", max_length=253)
        ]
        | None
    ) = Field(default=None, description="Domain of our Message-IDs; by default the mail address's own.")
    reaction_glyphs: dict[Glyph, Glyphs] | None = setting(
        "What is set for an emoji that stands for a state, tried in order (D21).",
        default={"✅": ("✅", "👍")},
        max_length=20,
    )
