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
    """A deterministic triage rule. The matching rule with the lowest priority number wins (CNX-05.2, CNX-05.3)."""

    priority: int = Field(ge=0, le=10_000, description="Order of evaluation, lowest first.")
    type: Literal["sender_domain", "sender_address", "header_condition", "label_match"] = Field(
        description="Part of the message to compare with `value`."
    )
    value: ShortText = Field(
        description="Value to compare with. For a header: `Name present`, `Name equals X` or `Name contains X`."
    )
    action: Literal["route_to", "low_priority_queue", "pass_through", "metadata_only", "skip"] = Field(
        description="Action for a matching message."
    )
    target: ShortText | None = Field(
        default=None, description="Specialist that gets the message, for action route_to."
    )
    targets: TextSet = Field(
        default=(),
        max_length=16,
        description="Specialists that each get the whole message, in this order, instead of one `target`.",
    )
    order: Literal["parallel", "ordered", "conditional"] | None = setting(
        "When each of `targets` gets the message: all at once (parallel), after the one before (ordered), or only if "
        "that one succeeded (conditional).",
        default="parallel",
    )
    join: Literal["all", "any"] | None = setting(
        "Whether the message is done when all of `targets` succeeded, or any of them.",
        default="as in dispatch.tiers",
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="(self.action == 'route_to' ? 1 : 0) == (has(self.target) ? 1 : 0)"
            " + (has(self.targets) && size(self.targets) > 0 ? 1 : 0)",
            message="action route_to needs `target` or `targets`, not both; no other action takes either",
            holds=lambda rule: (rule.action == "route_to") == (rule.target is not None) + bool(rule.targets),
        ),
        Rule(
            cel="(!has(self.order) && !has(self.join)) || (has(self.targets) && size(self.targets) > 1)",
            message="`order` and `join` are of several butlers: expected two or more `targets`",
            holds=lambda rule: (rule.order is None and rule.join is None) or len(rule.targets) > 1,
        ),
    )


class TierRouting(ResourceModel):
    """Settings of one tier. Fields that are not set are as for all tiers (SWB-34.1)."""

    model: ShortText | None = setting(
        "Model to use, on the runtime's server. Needs a `runtime.family` other than rules.",
        default="runtime.model",
    )
    session_timeout_seconds: float | None = setting(
        "Timeout in seconds of one decision.",
        default="routing.sessionTimeoutSeconds",
        ge=0.1,
        le=3600,
    )


class RoutingTiers(ResourceModel):
    """Settings by tier, for tiers with other than the default settings."""

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
    message="a model in `routing.tiers` needs a `runtime.family` other than rules; choose another family or remove it",
    holds=lambda spec: spec.runtime.family != "rules" or _tiers_ask_no_model(spec),
    path=".routing.tiers",
)
"""Of `ButlerSpec`."""


class Routing(ResourceModel):
    """Policy in addition to the model (SWB-27, SWB-28), and proof that a mail is from a member (D22)."""

    rules: tuple[RoutingRule, ...] = Field(
        default=(),
        max_length=500,
        description="Triage rules, lowest priority number first.",
        json_schema_extra={"x-kubernetes-list-type": "atomic"},
    )
    trusted_authserv_ids: TextSet = Field(
        default=(),
        max_length=20,
        description="Names at the start of your mail server's Authentication-Results. Without one, every mail counts "
        "as a stranger's.",
    )
    trusted_endpoints: TextSet = Field(
        default=(),
        max_length=20,
        description="Endpoint identities of mailboxes that accept only the household's mail.",
    )
    confidence_threshold: float | None = setting(
        "Minimum confidence of a decision. Below it, the message goes to the butler general (SWB-27.1).",
        default=0.72,
        ge=0,
        le=1,
    )
    session_timeout_seconds: float | None = setting(
        "Timeout in seconds of one decision.", default=30, ge=0.1, le=3600
    )
    patience_seconds: float | None = setting(
        "Seconds that a message waits for any butler to be available before it fails.",
        default=120,
        ge=0.1,
        le=86_400,
    )
    new_request_on_conflict: TextSet = Field(
        default=(),
        max_length=20,
        description="Endpoint identities for which a known key with different content creates a new request. For all "
        "others the first request is returned (D7).",
    )
    tiers: RoutingTiers | None = Field(default=None, description="Model and timeout by tier of the message.")
    instructions: Instructions | None = Field(
        default=None,
        description="Additional instructions by the owner for the routing model, such as which butler handles what.",
    )
    thread_affinity: bool | None = setting(
        "Whether a mail goes to the butler that last worked on its thread (References, In-Reply-To), before any rule.",
        default=False,
    )
    learn: bool | None = setting(
        "Whether messages go where the household's own corrections say: if enough of the newest 200 that are like a "
        "message agree on a butler. A rule that a member agreed to holds regardless.",
        default=False,
    )
    relationship_extraction: bool | None = setting(
        "Whether to extract and keep, for each member, what their messages say about people (SWB-26.1). With a model, "
        "this costs a second session per message.",
        default=False,
    )
    cost_per_thousand_messages_cents: int | None = setting(
        "Cost of a thousand messages in cents, counted against the daily cap of backfills.",
        default=0,
        ge=0,
        le=10_000_000,
    )
