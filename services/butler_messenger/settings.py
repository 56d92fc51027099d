"""Messenger's part of `butler.toml` and of the environment (MSG-11, MSR-01.1, MSR-07, D41, D48).

Secrets are only named here; their values come from the environment, once, at start.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from butler_kit.config import ButlerConfig, DeliveryConfig, Section, demand
from butler_kit.config.service_levels import Share, SloConfig
from butler_messenger.admission.limits import CHANNEL_PER_MINUTE, AdmissionLimits, RateLimits
from butler_messenger.deadletters.views import ReplayPolicy
from butler_messenger.delivery.breaker import CircuitPolicy
from butler_messenger.delivery.decisions import DEFERRAL_PAUSES_S, Guarantee, RetryPolicy
from butler_messenger.service_levels.objectives import WITHIN_S, Objective, Policy

__all__ = ["ChannelDelivery", "CircuitSettings", "Limits", "MessengerConfig", "MessengerDelivery"]

_Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_ForAMinute = Annotated[int, Field(ge=1, le=1_000_000)]

DEFAULT_GLYPHS: Final[Mapping[str, tuple[str, ...]]] = {"✅": ("✅", "👍")}
"""Bots may not set ✅ (D21)."""
DEFAULT_TIMEOUT_S: Final = 30.0
CHANNEL_TIMEOUT_S: Final[Mapping[str, float]] = {"telegram": 15.0, "email": 45.0}
"""MSR-07.3."""
DEFAULT_CONNECT_TIMEOUT_S: Final = 15.0
CHANNEL_CONNECT_TIMEOUT_S: Final[Mapping[str, float]] = {"telegram": 5.0, "email": 15.0}
"""A server that is there answers a connection soon; what it may think about for long is the content."""


class ChannelDelivery(Section):
    """`[delivery.channels.NAME]`: time-out and retries of one channel; what is left out is MSR-07's default."""

    timeout_s: _Positive | None = None
    max_attempts: Annotated[int, Field(ge=1, le=20)] = 3
    base_delay_s: _Positive = 2.0
    max_delay_s: _Positive = 60.0
    jitter: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.3
    deferral_pauses_s: Annotated[tuple[_Positive, ...], Field(min_length=1, max_length=20)] = (
        DEFERRAL_PAUSES_S
    )
    """After the provider's first, second, … "later" (SMTP 4xx); the last one is kept until it expires (D87)."""
    connect_timeout_s: _Positive | None = None
    """For the connection and each step before the message itself; the answer to the message has all of `timeout_s`."""
    at_least_once: tuple[Literal["send", "reply"], ...] = ()
    """Intents that may be sent again when nobody knows whether they were sent (D41)."""
    per_minute: _ForAMinute | None = None
    """What goes out by this channel (MSR-05.2); what is left out is `CHANNEL_PER_MINUTE`."""
    reply_within_s: _Positive | None = None
    """Until when a reply is to be sent (MSG-15); what is left out is `WITHIN_S`."""
    send_within_s: _Positive | None = None
    mark: Literal["always", "several"] = "always"
    """Of a chat: whether every answer says which butler speaks, or only where several may answer (ADR 0126)."""


class Limits(Section):
    """`[delivery.limits]`: what may be said within a minute (MSG-11.3, MSR-05); replies count less."""

    per_minute: _ForAMinute = 60
    recipient_per_minute: _ForAMinute = 10
    """To one recipient, and in one conversation."""
    reply_priority: Annotated[float, Field(ge=1, le=10, allow_inf_nan=False)] = 2.0
    """A reply takes one part in so many of what a send takes."""


class CircuitSettings(Section):
    """`[delivery.circuit]`: when a provider that does not answer is left alone, and for how long (MSR-06)."""

    failures: Annotated[int, Field(ge=1, le=1000)] = 5
    """Calls in a row without an answer that open a channel's circuit."""
    reset_s: Annotated[float, Field(ge=0.01, le=3600, allow_inf_nan=False)] = 60.0
    """How long it is open before the next call is let through."""
    probes: Annotated[int, Field(ge=1, le=100)] = 2
    """Messages that the provider has to take, one at a time, before the others follow."""


class SloSettings(SloConfig):
    """`[delivery.slo]`: how good deliveries are to be, and what follows when they are not (MSG-15, docs/adr/0073).

    The first seven are shares of events that are to be good; what they leave over is the error budget. `tightens`
    says whether a burning one slows sends down.
    """

    success: Share = 0.99
    latency: Share = 0.95
    once: Share = 0.999
    queue: Share = 0.95
    admission: Share = 0.95
    dead_letters: Share = 0.99
    replays: Share = 0.9
    send_share: Annotated[float, Field(ge=0.1, le=1, allow_inf_nan=False)] = 0.5
    """Of a channel's `per_minute`, what sends get while it is tight."""
    retry_factor: Annotated[float, Field(ge=1, le=100, allow_inf_nan=False)] = 4.0
    """How much longer a send then waits for its second try."""

    def targets(self) -> dict[str, float]:
        """The share of good events of every objective."""
        return {objective: getattr(self, objective.value) for objective in Objective}


class MessengerDelivery(DeliveryConfig):
    """`[delivery]` with everything that a Messenger may be told."""

    worker_count: Annotated[int, Field(ge=1, le=256)] = demand.MESSENGER_WORKERS
    answer_wait_s: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] = 1.0
    """How long `route.execute` waits for the end of a delivery before it answers `queued` (D18)."""
    strangers_at_once: Annotated[int, Field(ge=0, le=1000)] = 10
    """How many messages about strangers go to a person by themselves within a window; the others are one digest."""
    strangers_window_s: Annotated[float, Field(ge=1, le=86_400, allow_inf_nan=False)] = 600.0
    limits: Limits = Limits()
    circuit: CircuitSettings = CircuitSettings()
    slo: SloSettings = SloSettings()
    channels: dict[str, ChannelDelivery] = Field(default_factory=dict)
    dedupe_retention_days: Annotated[int, Field(ge=1, le=3650)] = 365
    """How long a delivery, and with it its idempotency key, is kept (MSG-11.3, D55)."""
    dead_letter_days: Annotated[int, Field(ge=1, le=3650)] = 90
    dead_letter_max: Annotated[int, Field(ge=1)] = 10_000
    dead_letter_max_replays: Annotated[int, Field(ge=0, le=1000)] = 10
    """How often one wish is sent again by hand, replays of its replays included; 0 for never."""
    dead_letter_replay_days: Annotated[int, Field(ge=1, le=3650)] | None = None
    """How old a dead letter may be that is sent again; None for as long as it is kept."""
    mail_domain: str | None = None
    """Domain of our Message-IDs; the mail address's own by default."""
    reaction_glyphs: dict[str, tuple[str, ...]] = Field(default_factory=lambda: dict(DEFAULT_GLYPHS))
    """What to try for an emoji, in order (D21)."""


class MessengerConfig(ButlerConfig):
    """A Messenger's `butler.toml`."""

    delivery: MessengerDelivery = MessengerDelivery()

    @model_validator(mode="after")
    def _delivers_only(self) -> Self:
        if self.butler.role != "messenger":
            raise ValueError(f"butler.role is '{self.butler.role}'; this program is the messenger")
        if self.butler.schedule:
            raise ValueError("a messenger has no schedules (MSR-11.1); remove [[butler.schedule]]")
        if self.may_leave_mark() - {"telegram"}:
            raise ValueError(
                "[delivery.channels] mark = 'several' is for telegram; a subject always says who speaks"
            )
        calendar = self.modules.calendar
        if calendar is not None and "appointment_minutes" in calendar.model_fields_set:
            raise ValueError("[modules.calendar] appointment_minutes is a specialist's; remove it")
        return self

    def retry_policy(self, channel: str) -> RetryPolicy:
        """The time-out and retries of `channel`."""
        section = self.delivery.channels.get(channel, ChannelDelivery())
        return RetryPolicy(
            max_attempts=section.max_attempts,
            base_delay_s=section.base_delay_s,
            max_delay_s=section.max_delay_s,
            jitter=section.jitter,
            timeout_s=self.timeout_s(channel),
            deferral_pauses_s=section.deferral_pauses_s,
        )

    def may_leave_mark(self) -> frozenset[str]:
        """The channels on which an answer says who speaks only where several butlers may (MSG-6.3)."""
        return frozenset(name for name, one in self.delivery.channels.items() if one.mark == "several")

    def admission_limits(self) -> AdmissionLimits:
        """What is in the way of a delivery that is asked for (MSR-05)."""
        delivery, limits = self.delivery, self.delivery.limits
        said = {name: one.per_minute for name, one in delivery.channels.items() if one.per_minute is not None}
        rates = RateLimits(
            per_minute=limits.per_minute,
            channels={**CHANNEL_PER_MINUTE, **said},
            recipient_per_minute=limits.recipient_per_minute,
            reply_priority=limits.reply_priority,
            tight_share=delivery.slo.send_share,
        )
        return AdmissionLimits(delivery.max_in_flight, rates)

    def replay_policy(self) -> ReplayPolicy:
        """Which dead letters may be sent again (MSG-11.3)."""
        delivery = self.delivery
        return ReplayPolicy(delivery.dead_letter_max_replays, delivery.dead_letter_replay_days)

    def service_level_policy(self) -> Policy:
        """How good deliveries are to be (MSG-15)."""
        slo = self.delivery.slo
        said = {
            (name, intent): seconds
            for name, one in self.delivery.channels.items()
            for intent, seconds in (("reply", one.reply_within_s), ("send", one.send_within_s))
            if seconds is not None
        }
        return Policy(targets=slo.targets(), within_s={**WITHIN_S, **said}, **slo.burn_settings())

    def circuit_policy(self) -> CircuitPolicy:
        """When a provider is left alone (MSR-06)."""
        circuit = self.delivery.circuit
        return CircuitPolicy(circuit.failures, circuit.reset_s, circuit.probes)

    def timeout_s(self, channel: str) -> float:
        """How long one provider call of `channel` may take as a whole (MSR-07.3)."""
        section = self.delivery.channels.get(channel, ChannelDelivery())
        return section.timeout_s or CHANNEL_TIMEOUT_S.get(channel, DEFAULT_TIMEOUT_S)

    def connect_timeout_s(self, channel: str) -> float:
        """How long the connection, and each step before the message itself, may take."""
        section = self.delivery.channels.get(channel, ChannelDelivery())
        wanted = section.connect_timeout_s or CHANNEL_CONNECT_TIMEOUT_S.get(
            channel, DEFAULT_CONNECT_TIMEOUT_S
        )
        return min(wanted, self.timeout_s(channel))

    def guarantee(self, channel: str, intent: str) -> Guarantee:
        """What a call without an answer means for `intent`: never again, or once more."""
        section = self.delivery.channels.get(channel, ChannelDelivery())
        return "at_least_once" if intent in section.at_least_once else "at_most_once"


def contacts_file(env: Mapping[str, str]) -> Path | None:
    """`BUTLERS_CONTACTS_FILE`, where the household's contacts are."""
    value = env.get("BUTLERS_CONTACTS_FILE", "").strip()
    return Path(value) if value else None
