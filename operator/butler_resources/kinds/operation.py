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

__all__ = ["TARGETS_OF_ACTION", "Action", "ButlerOperation", "ButlerOperationSpec", "Target", "TargetKind"]


class Action(StrEnum):
    """What can be asked for."""

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


class TargetKind(StrEnum):
    """What can be acted on. A Circuit or ServiceLevel has the name of its channel, what else is named its own."""

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
    Action.END: (TargetKind.APPROVAL_RULE, TargetKind.SUPPRESSION),
    Action.CORRECT: (TargetKind.REQUEST,),
    Action.SUPPRESS: (TargetKind.CHANNEL,),
}


class Target(ResourceModel):
    """What is acted on."""

    kind: TargetKind = Field(
        description=(
            "Butler, Connector, DeadLetter, Request, Delivery, Circuit, ServiceLevel, Approval, ApprovalRule, Channel "
            "or Suppression."
        )
    )
    name: DnsName | None = Field(
        default=None,
        description="Name of a Butler, Connector or Channel, channel of a Circuit or ServiceLevel.",
    )
    id: Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z][-_.0-9A-Za-z]*$", max_length=64)] | None = (
        Field(
            default=None,
            description="Id of what has no name; that of an Approval is its delivery's.",
        )
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel=f"!(self.kind in {_NAMED}) || (has(self.name) && !has(self.id))",
            message="a Butler, Connector, Circuit, ServiceLevel or Channel is named: give `name` and no `id`",
            holds=lambda target: target.kind not in NAMED or (target.name is not None and target.id is None),
        ),
        Rule(
            cel=f"self.kind in {_NAMED} || (has(self.id) && !has(self.name))",
            message="what is no Butler, Connector, Circuit, ServiceLevel or Channel has an id: give `id` and no `name`",
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
    """What is asked for, by whom and why."""

    action: Action = Field(
        description=(
            "quarantine, release, replay, discard, reset, approve, deny, cancel, complete, reroute, correct, suppress "
            "or end."
        )
    )
    target: Target = Field(description="What is acted on.")
    reason: Annotated[str, StringConstraints(max_length=500)] = Field(
        description="Why, in a few words; shown in traces and in the audit log."
    )
    requested_by: Annotated[str, StringConstraints(pattern=r"\S", max_length=256)] = Field(
        description="User who asks; an admission policy refuses any other name than the user's own."
    )
    params: dict[str, Annotated[str, StringConstraints(max_length=500)]] = Field(
        default_factory=dict, max_length=20, description="Further arguments of the action."
    )
    expires_after_seconds: int = Field(
        default=600, ge=10, le=86_400, description="Age after which the operation is not executed any more."
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
            message="a reroute has two arguments; give `params.butler`, whose part it is, and `params.to`",
            holds=lambda spec: spec.action is not Action.REROUTE or {"butler", "to"} <= spec.params.keys(),
            path=".params",
        ),
        Rule(
            cel="self.action != 'correct' || (has(self.params) && 'to' in self.params)",
            message="a correction says whose it was; give `params.to`, and `params.butler` where several have a part",
            holds=lambda spec: spec.action is not Action.CORRECT or "to" in spec.params,
            path=".params",
        ),
        Rule(
            cel="self.action != 'suppress' || (has(self.params) && 'recipient' in self.params)",
            message="a suppression says who is not written to; give `params.recipient`",
            holds=lambda spec: spec.action is not Action.SUPPRESS or "recipient" in spec.params,
            path=".params",
        ),
        Rule(
            cel="self == oldSelf",
            message="an operation is immutable; create another one",
        ),
    )


class ButlerOperation(ResourceModel):
    """One act on the household: who, what, why, and what became of it."""

    api_version: Literal["butlers.dev/v1alpha1"] = Field(default=API_VERSION, description="API version.")
    kind: Literal["ButlerOperation"] = Field(default="ButlerOperation", description="Kind.")
    metadata: Metadata = Field(description="Name and labels.")
    spec: ButlerOperationSpec = Field(description="What is asked for, by whom and why. Immutable.")
    status: ButlerOperationStatus | None = Field(default=None, description="What became of it.")

    RULES: ClassVar[tuple[Rule, ...]] = name_rules(63)

    @property
    def name(self) -> str:
        """Its name in the namespace."""
        return self.metadata.name
