"""PURE: describe the outcome of an operation in one line for a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from butler_resources.kinds import ButlerOperation
from butler_resources.kinds.operation import Action, TargetKind

__all__ = ["said"]


def said(operation: ButlerOperation, answer: Mapping[str, Any]) -> str:
    """Return one line about the end of `operation`; `answer` is the service's."""
    spec = operation.spec
    match spec.action:
        case Action.QUARANTINE | Action.RELEASE:
            return f"{spec.target.name} is {answer.get('eligibility_state', 'as asked')}"
        case Action.REPLAY if "parts" in answer:
            targets = ", ".join(str(part.get("target")) for part in answer["parts"])
            return f"sent again to {targets}; request {answer.get('request_id')} tells what becomes of it"
        case Action.REPLAY:
            return f"sent again as delivery {answer.get('delivery_id')}"
        case Action.DISCARD:
            return f"{spec.target.id} stays in the records and is never sent again"
        case Action.SUPPRESS:
            ends = f"`kubectl butler suppressions end {answer.get('suppression_id')}` ends that"
            return f"nothing is sent to {answer.get('target_identity')} on {spec.target.name} unasked; {ends}"
        case Action.APPROVE | Action.DENY | Action.END:
            return _of_decision(operation, answer)
        case Action.CANCEL | Action.COMPLETE | Action.REROUTE | Action.CORRECT:
            return _of_request(operation, answer)
        case Action.RESET:
            return _of_reset(operation, answer)


def _of_reset(operation: ButlerOperation, answer: Mapping[str, Any]) -> str:
    target = operation.spec.target
    if target.kind is TargetKind.SERVICE_LEVEL:
        return f"the service level of {target.name} is let go; it was {answer.get('was', 'tight')}"
    return f"the circuit of {target.name} is closed; it was {answer.get('was', 'open')}"


def _of_decision(operation: ButlerOperation, answer: Mapping[str, Any]) -> str:
    own_id, action = operation.spec.target.id, operation.spec.action
    if operation.spec.target.kind is TargetKind.SUPPRESSION:
        return f"{answer.get('target_identity')} on {answer.get('channel')} is written to again"
    if operation.spec.target.kind is TargetKind.LEARNED_RULE:
        return f"such messages do not go to {answer.get('butler')} by rule any more"
    call = answer.get("kind") == "call"
    if action is Action.DENY:
        return (
            f"call {own_id} is denied; it is never made"
            if call
            else f"delivery {own_id} is denied; it is never sent"
        )
    if action is Action.END:
        return f"rule {own_id} is ended; what it allowed waits for an approval again"
    approved = (
        f"call {own_id} is approved; its butler makes it, once, in the next minutes"
        if call
        else f"delivery {own_id} is approved; it is sent as soon as there is room"
    )
    rule = answer.get("rule")
    return f"{approved}; the same needs no approval until {rule['expires_at']}" if rule else approved


def _of_request(operation: ButlerOperation, answer: Mapping[str, Any]) -> str:
    spec = operation.spec
    if spec.action is Action.REROUTE:
        return f"given to {spec.params.get('to')}; request {spec.target.id} tells what becomes of it"
    if spec.action is Action.CORRECT:
        back = f"; {answer.get('was_with')} takes back what it noted" if answer.get("withdraws") else ""
        return f"given to {spec.params.get('to')}{back}; request {spec.target.id} tells what becomes of it"
    stopped = ", ".join(str(part.get("target")) for part in answer.get("stopped") or ())
    ended = str(answer.get("state", "ended")).replace("_", "-")
    return f"request {spec.target.id} is {ended}" + (f"; stopped {stopped}" if stopped else "")
