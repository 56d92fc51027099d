"""The block `routing` of `Butler`: triage rules, when a decision is sure enough, whose mail is trusted (SWB-28)."""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal

from pydantic import Field

from butler_resources.kinds.base import ResourceModel, ShortText, TextSet
from butler_resources.kinds.canary import Instructions
from butler_resources.kinds.rules import Rule
from butler_resources.kinds.settings import setting

__all__ = ["TIER_MODELS", "Routing", "RoutingRule", "RoutingTiers", "TierRouting"]


class RoutingRule(ResourceModel):
    """One deterministic triage rule; the lowest priority number that matches wins (CNX-05.2, CNX-05.3)."""

    priority: int = Field(ge=0, le=10_000, description="Order of evaluation, lowest first.")
    type: Literal["sender_domain", "sender_address", "header_condition", "label_match"] = Field(
        description="What of the message is compared with `value`."
    )
    value: ShortText = Field(
        description="Compared with; for a header `Name present`, `Name equals X` or `Name contains X`."
    )
    action: Literal["route_to", "low_priority_queue", "pass_through", "metadata_only", "skip"] = Field(
        description="What happens to a message that matches."
    )
    target: ShortText | None = Field(
        default=None, description="Specialist that gets the message; goes with action route_to."
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="(self.action == 'route_to') == has(self.target)",
            message="`target` names the butler of action route_to: expected both or neither",
            holds=lambda rule: (rule.action == "route_to") == (rule.target is not None),
        ),
    )


class TierRouting(ResourceModel):
    """How the messages of one tier are routed; what is left out is as for all tiers (SWB-34.1)."""

    model: ShortText | None = setting(
        "Model of the runtime's server that is asked; it needs a `runtime.family` that asks one.",
        default="runtime.model",
    )
    session_timeout_seconds: float | None = setting(
        "Longest time in seconds that one decision may take.",
        default="routing.sessionTimeoutSeconds",
        ge=0.1,
        le=3600,
    )


class RoutingTiers(ResourceModel):
    """One block for each tier that is not to be routed as by default."""

    default: TierRouting | None = Field(default=None, description="Messages of tier default.")
    interactive: TierRouting | None = Field(
        default=None, description="Messages of tier interactive: somebody waits for the answer."
    )
    high_priority: TierRouting | None = Field(default=None, description="Messages of tier high_priority.")


_TIERS: Final = {"default": "default", "interactive": "interactive", "high_priority": "highPriority"}


def _tiers_ask_no_model(spec: Any) -> bool:
    tiers = spec.routing.tiers if spec.routing is not None else None
    return tiers is None or all(
        (tier := getattr(tiers, field)) is None or tier.model is None for field in _TIERS
    )


TIER_MODELS: Final = Rule(
    cel="!has(self.routing) || !has(self.routing.tiers) || self.runtime.family != 'rules' || !("
    + " || ".join(
        f"(has(self.routing.tiers.{name}) && has(self.routing.tiers.{name}.model))"
        for name in _TIERS.values()
    )
    + ")",
    message="a model in `routing.tiers` needs somebody to ask: choose a `runtime.family` that thinks, or remove it",
    holds=lambda spec: spec.runtime.family != "rules" or _tiers_ask_no_model(spec),
    path=".routing.tiers",
)
"""Of `ButlerSpec`."""


class Routing(ResourceModel):
    """Policy before and beside the model (SWB-27, SWB-28), and what proves that a mail is a member's (D22)."""

    rules: tuple[RoutingRule, ...] = Field(
        default=(),
        max_length=500,
        description="Triage rules, lowest priority number first.",
        json_schema_extra={"x-kubernetes-list-type": "atomic"},
    )
    trusted_authserv_ids: TextSet = Field(
        default=(),
        max_length=20,
        description="Names at the head of your mail server's Authentication-Results; without one every mail is a "
        "stranger's.",
    )
    trusted_endpoints: TextSet = Field(
        default=(),
        max_length=20,
        description="Connector identities of mailboxes that accept only the household's mail.",
    )
    confidence_threshold: float | None = setting(
        "How sure a decision must be; one that is less sure goes to the butler general (SWB-27.1).",
        default=0.72,
        ge=0,
        le=1,
    )
    session_timeout_seconds: float | None = setting(
        "Longest time in seconds that one decision may take.", default=30, ge=0.1, le=3600
    )
    patience_seconds: float | None = setting(
        "Seconds that a message waits for any butler to be there before it ends in an error.",
        default=120,
        ge=0.1,
        le=86_400,
    )
    new_request_on_conflict: TextSet = Field(
        default=(),
        max_length=20,
        description="Connector identities of which a known key with other content becomes a request of its own; "
        "of all others the first request is returned (D7).",
    )
    tiers: RoutingTiers | None = Field(
        default=None, description="Which model routes the messages of a tier, and how long it may take."
    )
    instructions: Instructions | None = Field(
        default=None,
        description="What the owner adds to the instructions of the model that routes, such as what is whose.",
    )
    thread_affinity: bool | None = setting(
        "Whether a mail goes to the butler that worked on its thread last (References, In-Reply-To), before any rule.",
        default=False,
    )
    relationship_extraction: bool | None = setting(
        "Whether it is found and kept, for each member, what their messages say of people (SWB-26.1). With a model it "
        "costs a second session for each message.",
        default=False,
    )
    cost_per_thousand_messages_cents: int | None = setting(
        "What a thousand messages cost, in cents; backfills count it against their daily cap.",
        default=0,
        ge=0,
        le=10_000_000,
    )
