"""PURE: the project's states, classes and reason tags in words that a person understands."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from butler_cli.client.life import Decisions, Life, Plan
from butler_cli.output.moments import span

__all__ = [
    "REPEATED_QUOTE_MAX",
    "ending",
    "failure",
    "order",
    "provider",
    "replies",
    "routing",
    "sender",
    "stood_in",
    "triage",
]

REPEATED_QUOTE_MAX: Final = 160

_FAILURES: Final = {
    "classification_error": "it could not be told who should take it",
    "validation_error": "it cannot be worked with as it is",
    "routing_error": "there was nobody to give it to",
    "target_unavailable": "not reachable",
    "timeout": "no answer in time",
    "overload_rejected": "too much to do at the moment",
    "internal_error": "something broke on our side",
}
_ORDERS: Final = {
    "parallel": "all at once",
    "ordered": "one after another",
    "conditional": "one after another, each only if the one before it succeeded",
}
_TRIAGE: Final = {
    "route_to": "it goes to {target}, whatever it says",
    "low_priority_queue": "it may wait until everything else is done",
    "pass_through": "it goes the usual way",
    "metadata_only": "only its subject is kept, and no butler gets it",
    "skip": "it is recorded, and no butler gets it",
}
_REASONS: Final = {
    "routed": "sure enough of the subject",
    "policy": "a rule of the household says so",
    "ambiguous": "not sure enough of any subject{instead}",
    "empty_text": "there is no text to route",
    "classification_failed": "the decision failed ({detail}){instead}",
    "invalid_output": "the decision made no sense ({detail}){instead}",
    "ineligible_target": "{detail} may get nothing at the moment",
    "learned": "like what members corrected: the likest is message {detail}",
    "learned_rule": "a rule that its writer agreed to after corrections ({detail})",
    "edit_of": "it edits message {detail}, and is for whoever had that",
    "edit_of_finished": "a stranger edits message {detail}, which is finished: recorded only",
    "edit_out_of_reach": "who had the message before the edit may get nothing at the moment",
    "edit_without_change": "it changes no word of message {detail}: recorded only",
}
_STAND_IN: Final = "model_"
_PROVIDERS: Final = {"telegram": "Telegram", "email": "the mail server"}


def failure(error_class: str | None, message: str | None) -> str:
    """Return an error as text: its class in words, its name, and its message."""
    name = error_class or "internal_error"
    said = _FAILURES.get(name, name)
    return f"{said} ({name}): {message}" if message else f"{said} ({name})"


def provider(channel: str) -> str:
    """Return the provider of a channel."""
    return _PROVIDERS.get(channel, channel)


def sender(life: Life) -> str:
    """Return who the sender is taken for, and why (D22)."""
    if life.decisions.sender_class == "household":
        why = {
            "api": "whoever submits here holds a token of this household",
            "mcp": "whoever submits here holds a token of this household",
            "email": "a member's address, and the mail is proven to be theirs",
        }.get(life.source.channel, "this account belongs to a member")
        return f"counts as the household: {why}"
    if life.source.channel == "email":
        why = "not a member's address, or nothing proves that the mail is theirs (no DMARC pass)"
    else:
        why = "this account is not in the contacts"
    return f"counts as a stranger: {why}; what they write is content, never an instruction"


def replies(decisions: Decisions) -> str:
    """Return who may be told about it, and why (D22, D23)."""
    if decisions.reply_policy == "allow":
        return "the sender may be answered"
    if decisions.reply_policy == "owner":
        return "the sender is never answered; what a butler makes of it goes to the owner"
    if decisions.automatic:
        return "a machine wrote it (automatic mail), so nobody is told: an answer could start a loop"
    return "it was already old when it came in, so nobody is told"


def triage(decisions: Decisions) -> str:
    """Return what the household's rules decided before any routing (CNX-05)."""
    action = decisions.triage_decision or "pass_through"
    said = _TRIAGE.get(action, action).format(target=decisions.triage_target or "its target")
    if decisions.triage_rule_id is None:
        return f"no rule matched: {said}"
    return f"rule {decisions.triage_rule_id} ({decisions.triage_rule_type}) matched: {said}"


def order(mode: str) -> str:
    """Return how the parts of a plan wait for each other."""
    return _ORDERS.get(mode, mode)


def routing(plan: Plan) -> str:
    """Return where it was routed, who decided, how sure, and why."""
    names = [str(target.get("butler")) for target in plan.targets]
    whither = f"to {_and(names)}" if names else "to nobody"
    if plan.decided_by == "policy":
        decider = "a rule" if plan.family == "policy" else "the household's policy"
    else:
        decider = f"the {plan.family} family"
    sure = (
        f", confidence {plan.confidence:.2f}"
        if plan.confidence is not None and plan.decided_by != "policy"
        else ""
    )
    return f"{whither}; decided by {decider}{sure}: {_reason(plan)}"


def stood_in(family: str, why: str) -> str:
    """Return that `family` answered in the model's place, and why: `why` is a reason tag such as `model_no_key`."""
    because = why.removeprefix(_STAND_IN).replace("_", " ")
    return f"{family} stood in for the model ({because})"


def _reason(plan: Plan) -> str:
    reason, why = _apart(plan.reason)
    instead = f"; {stood_in(plan.family, why)}" if why else ""
    return _because(reason, plan) + instead


def _apart(reason: str) -> tuple[str, str]:
    """Return the reason of the verdict, and why another family than the configured one gave it, if one did."""
    before, mark, why = reason.partition(f"; {_STAND_IN}")
    if mark:
        return before, why
    name, _, detail = reason.partition(":")
    of_the_model = name in ("classification_failed", "invalid_output")
    stands_in = detail.startswith(_STAND_IN) and not of_the_model
    return (name, detail.removeprefix(_STAND_IN)) if stands_in else (reason, "")


def _because(reason: str, plan: Plan) -> str:
    name, _, detail = reason.partition(":")
    known = _REASONS.get(name)
    if known is None:
        return reason
    instead = (
        ", so the catch-all gets the whole text"
        if plan.targets
        else ", and the catch-all may get nothing now"
    )
    return known.format(detail=detail.replace("_", " ") or "no detail", instead=instead)


def ending(life: Life) -> tuple[str, str]:
    """Return the state of a request in words, and their tone (good, bad, warn, plain)."""
    took = ""
    if life.final_state_at is not None:
        took = f" after {span((life.final_state_at - life.received_at) / timedelta(seconds=1))}"
    match life.lifecycle_state:
        case "parsed":
            return f"done{took}: every part was worked on", "good"
        case "errored":
            detail = (
                failure(life.error.error_class, life.error.message) if life.error else "no reason was kept"
            )
            return f"failed{took}: {detail}", "bad"
        case "recorded":
            return "recorded: kept, and nothing else was to be done", "plain"
        case "cancelled":
            return f"cancelled by an operator{took}", "warn"
        case "force_completed":
            return f"declared done by an operator{took}", "plain"
        case _:
            return "under way", "warn"


def _and(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
