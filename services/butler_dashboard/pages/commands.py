"""Commands to copy for what a page shows, for readers who may not act on the page itself (pure).

Every value in a command is quoted for a shell: outside input stays one word.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Final

from butler_dashboard.reads.approval_models import ApprovalSummary
from butler_dashboard.reads.backfill_models import BackfillSummary
from butler_dashboard.reads.butler_models import ButlerSummary
from butler_dashboard.reads.delivery_models import DeliverySummary
from butler_dashboard.reads.letter_models import DeadLetterSummary
from butler_dashboard.reads.request_models import RequestLife

__all__ = [
    "Action",
    "approval_actions",
    "backfill_actions",
    "butler_actions",
    "delivery_actions",
    "letter_actions",
    "request_actions",
]

_REASON: Final = ("--reason", "WHY")
_TAKEN_OVER: Final = "butlers restart"
"""Makes a household that is up, as it is while its pages are, apply its current manifests."""


@dataclass(frozen=True, slots=True)
class Action:
    """A command for `here`, where `butlers up` runs, and for `on_a_cluster`; `label` says what it does."""

    label: str
    here: str
    on_a_cluster: str


def butler_actions(butler: ButlerSummary) -> list[Action]:
    """Return actions to hold a butler or end its hold; a hold declared in a manifest is ended there."""
    if butler.manifest_hold_reason is not None:
        said = "Its manifest holds it: remove spec.eligibility.quarantine there, then"
        return [Action(said, _TAKEN_OVER, shlex.join(("kubectl", "edit", "butler", butler.name)))]
    if butler.eligibility_state == "quarantined":
        return [_action("End the hold", "release", butler.name)]
    return [_action("Hold it: no new messages", "quarantine", butler.name)]


def letter_actions(letter: DeadLetterSummary) -> list[Action]:
    """Return actions to replay a dead letter or close it."""
    name = str(letter.dead_letter_id)
    again = [_action("Send again what failed, once", "replay", name)] if letter.replay_eligible else []
    return [*again, _action("Close it for good", "discard", name)]


def approval_actions(approval: ApprovalSummary) -> list[Action]:
    """Return actions to send a waiting message or end it unsent, or to allow or deny a call."""
    name = str(approval.approval_id)
    if approval.kind == "call":
        return [_action("Let it be called", "approve", name), _action("Deny it", "deny", name)]
    return [_action("Send it", "approve", name), _action("End it unsent", "deny", name)]


def delivery_actions(delivery: DeliverySummary) -> list[Action]:
    """Return actions to resend a delivery that failed, or may have failed.

    A reaction is never retried, and what is settled is left.
    """
    if delivery.intent == "react" or delivery.settled_at is not None:
        return []
    name = str(delivery.delivery_id)
    if delivery.status == "uncertain":
        said = "Send it again, though the person may read it twice"
        return [_action(said, "replay", name, "--resend-uncertain")]
    return [_action("Send it again", "replay", name)]


def request_actions(life: RequestLife) -> list[Action]:
    """Return actions to read a request in a terminal, end it, or resend its failed parts."""
    name = str(life.request_id)
    trace = Action("Read the same in a terminal", f"butlers trace {name}", f"kubectl butler trace {name}")
    end = [_action("End it", "cancel", name)] if life.final_state_at is None else []
    return [
        trace,
        *end,
        *(
            _action("Send the failed parts again, once", "replay", str(letter.dead_letter_id))
            for letter in life.dead_letters
            if letter.state == "open" and letter.targets
        ),
    ]


def backfill_actions(job: BackfillSummary) -> list[Action]:
    """Return actions to pause or resume a job that a manifest declares."""
    if job.owner is None or job.status in ("completed", "cancelled", "error"):
        return []
    paused = job.status in ("paused", "cost_capped")
    said, value = ("Let it go on", "false") if paused else ("Pause it", "true")
    patch = f'{{"spec":{{"suspend":{value}}}}}'
    name = job.owner.rpartition("/")[2]
    return [
        Action(
            f"{said}: set spec.suspend to {value}, then",
            _TAKEN_OVER,
            shlex.join(("kubectl", "patch", "backfilljob", name, "--type", "merge", "-p", patch)),
        )
    ]


def _action(label: str, verb: str, name: str, *options: str) -> Action:
    words = (verb, name, *options, *_REASON)
    return Action(label, shlex.join(("butlers", *words)), shlex.join(("kubectl", "butler", *words)))
