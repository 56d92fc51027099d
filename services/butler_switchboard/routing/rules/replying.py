"""Routes a reply, or an answer to what was said just now, to the butler that said it (SWB-03.4; pure).

Invariant: only for the household's own people, only to a butler that may be chosen now, and only if the message has
no subject of its own: "and buy milk" under an answer from finance does not concern finance.
"""

from __future__ import annotations

from butler_kit.textmodel.features import fold
from butler_kit.wording.answers import answer_in
from butler_switchboard.routing.message import MeantWord, RouteCall, RoutingMessage, Segment
from butler_switchboard.routing.policy import PolicyDecision
from butler_switchboard.routing.registry_view import RegistryView
from butler_switchboard.routing.rules.follow_up import own_words, pointing
from butler_switchboard.routing.rules.holding import may_be_held

__all__ = ["answers_what_was_offered", "reply_decision"]


def answers_what_was_offered(message: RoutingMessage) -> bool:
    """Return whether the whole message is an answer such as a button gives: "done", "in 10 minutes"."""
    if message.sender_class != "household" or message.automatic:
        return False
    return answer_in(own_words(message.text, message.subject), fold) is not None


def reply_decision(
    message: RoutingMessage, meant: MeantWord | None, registry: RegistryView
) -> PolicyDecision | None:
    """Return the call to the butler that is answered; None if the message stands alone or several spoke."""
    if meant is None or len(meant.butlers) != 1 or message.sender_class != "household" or message.automatic:
        return None
    [butler] = meant.butlers
    if not registry.eligible(butler) or not _needs_what_was_said(message, offered=bool(meant.actions)):
        return None
    segment = Segment.whole(message.text, f"it replies to what {butler} said")
    return PolicyDecision((RouteCall(butler=butler, prompt=message.text, segment=segment),), rule="reply")


def _needs_what_was_said(message: RoutingMessage, *, offered: bool) -> bool:
    if offered and answers_what_was_offered(message):
        return True
    return pointing(message.text, subject=message.subject) is not None or may_be_held(message)
