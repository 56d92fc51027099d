"""PURE: the limits of an adult, a child or a guest: which butlers they may ask, and when (D68, ADR 0100).

Invariants: limits only take away, and never keep a butler from letting go of what an edit takes back. A refusal is
kind, says whom to ask, and reveals nothing that any butler has noted. What somebody may ask with a grown-up's word is
held until that is there (ADR 0124). Whoever may be in danger has no limits that keep them from an answer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from butler_contracts.former import NO_BUTLER
from butler_contracts.language import Language
from butler_contracts.person_settings import LimitsV1, PersonSettings, in_quiet_hours
from butler_switchboard.dispatch.model import AbortPolicy, FanoutMode, Held, Plan, PlannedTarget
from butler_switchboard.dispatch.together import ONE_QUESTION
from butler_switchboard.locale import noop, say
from butler_switchboard.routing.memory import FORGOTTEN_BY_ALL
from butler_switchboard.routing.registry_view import GENERAL

__all__ = [
    "NOT_AT_THIS_HOUR",
    "NOT_THEIRS",
    "Limited",
    "answered_at_once",
    "limits_of",
    "may_ask",
    "not_now",
    "taken_back",
    "within_limits",
]

NOT_AT_THIS_HOUR: Final = "not_at_this_hour"
NOT_THEIRS: Final = "not_theirs"
_NOT_NOW: Final = noop(
    "I am here for you again at {at}. If it cannot wait, please ask {owner}; in an emergency call the emergency number."
)
_ASK_THEM: Final = noop("That is one for {owner}, please ask there. I am glad to help you with other things.")
_ASK_FIRST: Final = noop("Please talk to {owner} about that first; {owner} can then tell me what to do.")


@dataclass(frozen=True, slots=True)
class Limited:
    """Somebody with limits, their clock and language; `owner` is the person to ask instead."""

    limits: LimitsV1
    zone: ZoneInfo
    language: Language
    owner: str


def limits_of(settings: PersonSettings) -> LimitsV1 | None:
    """Return somebody's limits; None if they have none. By default, a guest may ask `general` alone."""
    if settings.standing is None:
        return settings.limits
    said = settings.limits or LimitsV1()
    if settings.standing == "guest" and said.butlers is None:
        return said.model_copy(update={"butlers": (GENERAL,)})
    return said


def may_ask(limits: LimitsV1, butler: str) -> bool:
    return butler not in limits.ask_first and (limits.butlers is None or butler in limits.butlers)


def not_now(person: Limited, at: datetime) -> str | None:
    """Return the refusal outside of their hours, or None within them."""
    hours = person.limits.hours
    if hours is None or in_quiet_hours(at.astimezone(person.zone).strftime("%H:%M"), hours.start, hours.end):
        return None
    return say(person.language, _NOT_NOW, at=hours.start, owner=person.owner)


def within_limits(plan: Plan, person: Limited, *, holds: bool = False, urgent: bool = False) -> Plan:
    """Return the plan without the butlers that this person may not ask, and with what is said about that.

    With `holds`, the parts for butlers that may be asked with the owner's word are kept until that is there. Of a
    question put to no particular butler, those that may not be asked are left out silently. Whoever wants to be
    forgotten is heard by all.
    """
    if plan.reason == FORGOTTEN_BY_ALL:
        return plan
    if plan.corrects is not None and not may_ask(person.limits, plan.corrects.to):
        return _refused(plan, person, [plan.corrects.to])
    denied = _denied(plan, person.limits)
    if not denied:
        return plan
    asked = _asked(plan, person.limits, denied) if holds else ()
    left = () if _hangs_together(plan) else _left(plan, denied)
    nothing_new = all(_lets_go(one) for one in left)
    if plan.reason in ONE_QUESTION and not nothing_new:
        return replace(plan, targets=left)
    if nothing_new and not asked:
        return _refused(plan, person, denied)
    within = replace(plan, targets=left or taken_back(plan), said=_said(person, denied))
    return _holding(within, person, denied, asked, urgent=urgent) if asked else within


def answered_at_once(plan: Plan, person: Limited, text: str) -> Plan:
    """Return the plan of a message in which somebody may be in danger: `general` has all of it, where others may not.

    Whichever butler has it, the answer is the same (ADR 0104).
    """
    if plan.corrects is not None:
        return within_limits(plan, person)
    if not _denied(plan, person.limits):
        return plan
    last = max(one.position for one in plan.targets)
    whole = PlannedTarget(last + 1, f"s{last + 1}", GENERAL, text)
    told = tuple(one for one in taken_back(plan) if one.butler != GENERAL)
    reason = f"danger:{plan.reason}"
    return replace(_alone(plan), targets=(*told, whole), decided_by="policy", reason=reason)


def _denied(plan: Plan, limits: LimitsV1) -> list[str]:
    """Return the butlers of the plan that this person may not ask."""
    return [one.butler for one in plan.targets if not (_lets_go(one) or may_ask(limits, one.butler))]


def _left(plan: Plan, denied: Collection[str]) -> tuple[PlannedTarget, ...]:
    """Return the parts for other butlers."""
    return tuple(_without(denied, one) for one in plan.targets if one.butler not in denied)


def _asked(plan: Plan, limits: LimitsV1, denied: Collection[str]) -> tuple[PlannedTarget, ...]:
    """Return the parts that the owner can be asked about; of what hangs together all that is new, or nothing."""
    if _hangs_together(plan):
        all_may = set(denied) <= set(limits.ask_first)
        return tuple(one for one in plan.targets if not _lets_go(one)) if all_may else ()
    return tuple(one for one in plan.targets if one.butler in denied and one.butler in limits.ask_first)


def _holding(
    plan: Plan, person: Limited, denied: Collection[str], asked: Iterable[PlannedTarget], *, urgent: bool
) -> Plan:
    """Return the plan; a butler of what it holds may be gone by then, so its part waits for it."""
    barred = set(denied) - set(person.limits.ask_first)
    besides = say(person.language, _ASK_THEM, owner=person.owner) if barred else None
    targets = tuple(replace(one, away=True) for one in asked)
    return replace(plan, held=Held(targets, person.owner, person.language, besides, urgent))


def _lets_go(target: PlannedTarget) -> bool:
    """Return whether an edit only takes back what the target has, which is always allowed."""
    return bool((target.supersedes or {}).get("moved_to"))


def _without(denied: Collection[str], target: PlannedTarget) -> PlannedTarget:
    """Return the target; if it lets go, it names those alone that get the new words."""
    if not _lets_go(target):
        return target
    told = dict(target.supersedes or {})
    moved = [name for name in told["moved_to"] if name not in denied]
    return replace(target, supersedes={**told, "moved_to": moved or [NO_BUTLER]})


def taken_back(plan: Plan) -> tuple[PlannedTarget, ...]:
    """Return what is left of a plan that is refused whole: an edit is taken back where it was, and goes nowhere."""
    others = {one.butler for one in plan.targets if not _lets_go(one)}
    return tuple(_without(others, one) for one in plan.targets if _lets_go(one))


def _hangs_together(plan: Plan) -> bool:
    """Return whether a later part is only wanted if an earlier one was done."""
    return plan.fanout_mode is FanoutMode.CONDITIONAL or plan.abort_policy is AbortPolicy.STOP


def _refused(plan: Plan, person: Limited, denied: Collection[str]) -> Plan:
    return replace(
        _alone(plan),
        targets=taken_back(plan),
        corrects=None,
        decided_by="policy",
        reason=f"{NOT_THEIRS}:{','.join(sorted(set(denied)))}",
        error=None,
        said=_said(person, denied),
    )


def _alone(plan: Plan) -> Plan:
    """Return the plan whose parts do not depend on each other."""
    return replace(plan, fanout_mode=FanoutMode.PARALLEL, abort_policy=AbortPolicy.CONTINUE)


def _said(person: Limited, denied: Collection[str]) -> str:
    first = set(denied) <= set(person.limits.ask_first)
    return say(person.language, _ASK_FIRST if first else _ASK_THEM, owner=person.owner)
