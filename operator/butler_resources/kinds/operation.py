"""The custom resource `ButlerOperation`: one act of a person on the household, asked for once and audited (D4).

Invariant: its spec never changes, its UID is the idempotency key, and after `expiresAfterSeconds` it is not done
any more.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field, StringConstraints

from butler_resources.kinds.base import DnsName, Metadata, ResourceModel, name_rules
from butler_resources.kinds.names import API_VERSION
from butler_resources.kinds.rules import Rule
from butler_resources.kinds.statuses import ButlerOperationStatus

__all__ = [
    "SWITCHBOARD_LEVEL",
    "TARGETS_OF_ACTION",
    "Action",
    "ButlerOperation",
    "ButlerOperationSpec",
    "Target",
    "TargetKind",
]


class Action(StrEnum):
    """Actions of an operation."""

    QUARANTINE = "quarantine"
    RELEASE = "release"
    REPLAY = "replay"
    DISCARD = "discard"
    RESET = "reset"
    APPROVE = "approve"
    DENY = "deny"
    CANCEL = "cancel"
    COMPLETE = "complete"
    REROUTE = "reroute"
    END = "end"
    CORRECT = "correct"
    SUPPRESS = "suppress"
    FORGET = "forget"


class TargetKind(StrEnum):
    """Kinds of targets. A Circuit or ServiceLevel has the name of its channel, other named kinds have their own.

    The ServiceLevel of the Switchboard is called `switchboard`.
    """

    BUTLER = "Butler"
    CONNECTOR = "Connector"
    DEAD_LETTER = "DeadLetter"
    REQUEST = "Request"
    DELIVERY = "Delivery"
    CIRCUIT = "Circuit"
    SERVICE_LEVEL = "ServiceLevel"
    APPROVAL = "Approval"
    APPROVAL_RULE = "ApprovalRule"
    CHANNEL = "Channel"
    SUPPRESSION = "Suppression"
    LEARNED_RULE = "LearnedRule"
    PERSON = "Person"


SWITCHBOARD_LEVEL: Final = "switchboard"
"""Channels of Messenger have other names."""
HELD: Final = (TargetKind.BUTLER, TargetKind.CONNECTOR)
OF_CHANNELS: Final = (TargetKind.CIRCUIT, TargetKind.SERVICE_LEVEL)
NAMED: Final = (*HELD, *OF_CHANNELS, TargetKind.CHANNEL)
_NAMED: Final = [kind.value for kind in NAMED]
TARGETS_OF_ACTION: Final = {
    Action.QUARANTINE: HELD,
    Action.RELEASE: HELD,
    Action.REPLAY: (TargetKind.DEAD_LETTER, TargetKind.REQUEST, TargetKind.DELIVERY),
    Action.DISCARD: (TargetKind.DEAD_LETTER, TargetKind.DELIVERY),
    Action.RESET: OF_CHANNELS,
    Action.APPROVE: (TargetKind.APPROVAL,),
    Action.DENY: (TargetKind.APPROVAL,),
    Action.CANCEL: (TargetKind.REQUEST,),
    Action.COMPLETE: (TargetKind.REQUEST,),
    Action.REROUTE: (TargetKind.REQUEST,),
    Action.END: (TargetKind.APPROVAL_RULE, TargetKind.SUPPRESSION, TargetKind.LEARNED_RULE),
    Action.CORRECT: (TargetKind.REQUEST,),
    Action.SUPPRESS: (TargetKind.CHANNEL,),
    Action.FORGET: (TargetKind.PERSON,),
}


class Target(ResourceModel):
    """Target of the operation."""

    kind: TargetKind = Field(
        description=(
            "Butler, Connector, DeadLetter, Request, Delivery, Circuit, ServiceLevel, Approval, ApprovalRule, Channel, "
            "Suppression, LearnedRule or Person."
        )
    )
    name: DnsName | None = Field(
        default=None,
        description="Name of a Butler, Connector or Channel, or channel of a Circuit or ServiceLevel. The ServiceLevel "
        "of the Switchboard is called switchboard.",
    )
    id: Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z][-_.0-9A-Za-z]*$", max_length=64)] | None = (
        Field(
            default=None,
            description="ID of a target without a name. The ID of an Approval is that of its delivery, the ID of a "
            "Person that of the contact.",
        )
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel=f"!(self.kind in {_NAMED}) || (has(self.name) && !has(self.id))",
            message="a Butler, Connector, Circuit, ServiceLevel or Channel is identified by name; give `name` and no "
            "`id`",
            holds=lambda target: target.kind not in NAMED or (target.name is not None and target.id is None),
        ),
        Rule(
            cel=f"self.kind in {_NAMED} || (has(self.id) && !has(self.name))",
            message="kinds other than Butler, Connector, Circuit, ServiceLevel and Channel are identified by ID; give "
            "`id` and no `name`",
            holds=lambda target: target.kind in NAMED or (target.id is not None and target.name is None),
        ),
    )


def _either(words: list[str]) -> str:
    """The words as a choice: A, B or C."""
    return " or ".join([*([", ".join(words[:-1])] if words[1:] else []), words[-1]])


def _target_rule(action: Action, kinds: tuple[TargetKind, ...]) -> Rule:
    words = [kind.value for kind in kinds]
    listed = ", ".join(f"'{word}'" for word in words)
    article = "an" if words[0][0] in "AEIOU" else "a"
    return Rule(
        cel=f"self.action != '{action}' || self.target.kind in [{listed}]",
        message=f"{action} acts on {article} {_either(words)}; change `target.kind` or `action`",
        holds=lambda spec: spec.action is not action or spec.target.kind in kinds,
        path=".target",
    )


class ButlerOperationSpec(ResourceModel):
    """Requested action, its target, requester and reason."""

    action: Action = Field(
        description=(
            "quarantine, release, replay, discard, reset, approve, deny, cancel, complete, reroute, correct, suppress, "
            "forget or end."
        )
    )
    target: Target = Field(description="Target of the operation.")
    reason: Annotated[str, StringConstraints(max_length=500)] = Field(
        description="Reason in a few words, shown in traces and in the audit log."
    )
    requested_by: Annotated[str, StringConstraints(pattern=r"\S", max_length=256)] = Field(
        description="User who requests it. An admission policy refuses any name but the user's own."
    )
    params: dict[str, Annotated[str, StringConstraints(max_length=500)]] = Field(
        default_factory=dict, max_length=20, description="Additional arguments of the action."
    )
    expires_after_seconds: int = Field(
        default=600,
        ge=10,
        le=86_400,
        description="Age in seconds after which the operation is no longer executed.",
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="self.reason.trim() != ''",
            message="`reason` is empty; say why in a few words",
            holds=lambda spec: bool(spec.reason.strip()),
            path=".reason",
        ),
        *(_target_rule(action, kinds) for action, kinds in TARGETS_OF_ACTION.items()),
        Rule(
            cel="self.action != 'reroute' || (has(self.params) && 'butler' in self.params && 'to' in self.params)",
            message="a reroute needs two arguments: give `params.butler`, the current butler, and `params.to`, the new "
            "one",
            holds=lambda spec: spec.action is not Action.REROUTE or {"butler", "to"} <= spec.params.keys(),
            path=".params",
        ),
        Rule(
            cel="self.action != 'correct' || (has(self.params) && 'to' in self.params)",
            message="a correction needs the right butler: give `params.to`, and `params.butler` if several have a part",
            holds=lambda spec: spec.action is not Action.CORRECT or "to" in spec.params,
            path=".params",
        ),
        Rule(
            cel="self.action != 'suppress' || (has(self.params) && 'recipient' in self.params)",
            message="a suppression needs a recipient; give `params.recipient`",
            holds=lambda spec: spec.action is not Action.SUPPRESS or "recipient" in spec.params,
            path=".params",
        ),
        Rule(
            cel="self == oldSelf",
            message="an operation is immutable; create another one",
        ),
    )


class ButlerOperation(ResourceModel):
    """One operation on the household, with its requester, reason and result."""

    api_version: Literal["butlers.dev/v1alpha1"] = Field(default=API_VERSION, description="API version.")
    kind: Literal["ButlerOperation"] = Field(default="ButlerOperation", description="Kind.")
    metadata: Metadata = Field(description="Name and labels.")
    spec: ButlerOperationSpec = Field(
        description="Requested action, its target, requester and reason. Immutable."
    )
    status: ButlerOperationStatus | None = Field(default=None, description="Result of the operation.")

    RULES: ClassVar[tuple[Rule, ...]] = name_rules(63)

    @property
    def name(self) -> str:
        """Its name in the namespace."""
        return self.metadata.name
