"""PURE: which butler a pressed button is for (ADR 0041), and which mail answers Messenger's own question (ADR 0076).

Invariant: a press only says which action of which notification it means; the butler that offered it judges whether
that is so, and nobody outside the household reaches one by a button. A mail is an answer only if a member is proven
to have written it just now.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from butler_contracts.actions import Pressed, messengers_own, pressed_of
from butler_contracts.errors import ErrorClass
from butler_contracts.ingest import SourceChannel
from butler_contracts.questions import AnswerWritten, question_of
from butler_switchboard.dispatch.model import Plan, PlannedTarget, RequestState
from butler_switchboard.dispatch.plans import nothing_to_do, refused
from butler_switchboard.ingress.message import InboxMessage
from butler_switchboard.routing.registry_view import GENERAL, RegistryView

__all__ = [
    "MESSENGER",
    "asked_by_messenger",
    "plan_of_answer",
    "plan_of_press",
    "pressed_action",
    "written_answer",
]

MESSENGER: Final = "messenger"

_UNKNOWN: Final = "unknown"
"""An action that no butler offers; the butler that gets it says so."""


def plan_of_press(state: RequestState, owner: str | None, registry: RegistryView) -> Plan:
    """Plan a press for the butler that offered it, else `general`, which says so; a stranger's for nobody."""
    if state.message.context.sender_class != "household":
        return nothing_to_do(state, "press_by_stranger")
    if owner == MESSENGER:  # not a specialist, so it is in no registry view
        verdict = PlannedTarget(1, "s1", MESSENGER, state.message.text)
        return replace(nothing_to_do(state, "pressed"), targets=(verdict,))
    known = owner is not None and registry.get(owner) is not None
    name = owner if known and owner is not None else GENERAL
    if not registry.eligible(name):
        said = f"{registry.barred(name)} may get nothing at the moment; nothing was changed"
        return refused(state, ErrorClass.TARGET_UNAVAILABLE, said, reason="press_out_of_reach")
    target = PlannedTarget(1, "s1", name, state.message.text)
    reason = "pressed" if known else "press_of_nothing_known"
    return replace(nothing_to_do(state, reason), targets=(target,))


def written_answer(message: InboxMessage) -> AnswerWritten | None:
    """Return which of Messenger's own questions a mail's subject answers; None for any other message.

    A stranger's mail, one without proof, an automatic one and one from history answer nothing, like any other mail.
    """
    context = message.context
    if context.source_channel is not SourceChannel.EMAIL or context.reply_policy != "allow":
        return None
    question_id = question_of(message.subject or "")
    return AnswerWritten(question_id) if question_id is not None else None


def plan_of_answer(state: RequestState) -> Plan:
    """Return the plan that sends Messenger the mail's text without its subject."""
    said = state.message.text.removeprefix(f"Subject: {state.message.subject}").strip()
    target = PlannedTarget(1, "s1", MESSENGER, said or state.message.text)
    return replace(nothing_to_do(state, "answered"), targets=(target,))


def asked_by_messenger(pressed: Pressed) -> bool:
    """Return whether it answers Messenger's own question or note (ADR 0072, 0108), which is not recorded here.

    Anybody can make such a reference up; Messenger knows whether it was asked, and of whom.
    """
    return messengers_own(pressed.action) == pressed.notification_id


def pressed_action(message: InboxMessage) -> str | None:
    """Return the action that a press or an answer by mail names; None for a message that is neither."""
    if message.pressed is None:
        written = written_answer(message)
        return written.action if written is not None else None
    pressed = pressed_of(message.pressed)
    return pressed.action if pressed is not None else _UNKNOWN
