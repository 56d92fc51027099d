"""Tool calls from the forms of the pages (pure); the tools themselves check the values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from butler_contracts.errors import ValidationFailed
from butler_contracts.record_orders import RecordVerb, tool_of

__all__ = [
    "ALL",
    "ALWAYS_FOR",
    "HOLDS_FOR",
    "Call",
    "approval_call",
    "create_arguments",
    "delivery_call",
    "delivery_letter_calls",
    "hold_call",
    "letter_calls",
    "letter_id",
    "record_call",
    "request_call",
    "rule_call",
    "suppression_call",
    "verb_call",
]

Call = tuple[str, dict[str, Any]]
"""A tool of Switchboard and its arguments."""

ALL: Final = "-all"
"""Suffix of a verb that applies to every dead letter of one cause."""
HOLDS_FOR: Final = {"1h": timedelta(hours=1), "24h": timedelta(days=1), "7d": timedelta(days=7)}
ALWAYS_FOR: Final = {"7d": timedelta(days=7), "30d": timedelta(days=30), "90d": timedelta(days=90)}
_VERDICTS: Final = ("approve", "deny")
_LETTER_VERBS: Final = ("replay", "discard")
_REQUEST_VERBS: Final = ("cancel", "complete", "reroute", "correct")
_HOLD_VERBS: Final = {"hold": "butler.quarantine", "release": "butler.release"}
VERBS: Final = ("pause", "resume", "cancel")
_NUMBERS: Final = {
    "rate_limit_per_hour": "messages an hour",
    "daily_cost_cap_cents": "cents a day",
}


def create_arguments(form: Mapping[str, str]) -> dict[str, Any]:
    """Return the arguments of a backfill order form. Raises `ValidationFailed` naming the field."""
    connector_type, _, endpoint = form.get("connector", "").partition("|")
    if not connector_type or not endpoint:
        raise ValidationFailed("Choose the connector whose history is to be read.")
    arguments: dict[str, Any] = {
        "connector_type": connector_type,
        "endpoint_identity": endpoint,
        # A form that is sent twice is one order.
        "external_id": f"dashboard:{form.get('order', '')}",
    }
    for name in ("date_from", "date_to"):
        if not form.get(name):
            raise ValidationFailed("Give the first and the last day.")
        arguments[name] = form[name]
    for name, unit in _NUMBERS.items():
        given = form.get(name, "").strip()
        if given and not (given.isascii() and given.isdecimal() and len(given) < 10):
            raise ValidationFailed(f"Give a whole number of {unit}.")
        if given:
            arguments[name] = int(given)
    return arguments


def verb_call(verb: str, job_id: str) -> Call:
    """Return the tool call for a button of a backfill. Raises `ValidationFailed`."""
    try:
        job = UUID(job_id)
    except ValueError:
        raise ValidationFailed("There is no such backfill.") from None
    if verb not in VERBS:
        raise ValidationFailed("There is no such button.")
    return f"backfill.{verb}", {"job_id": str(job)}


def letter_id(text: str) -> UUID:
    """Return the id of the dead letter in an address. Raises `ValidationFailed`."""
    try:
        return UUID(text)
    except ValueError:
        raise ValidationFailed("There is no such dead letter.") from None


def letter_calls(verb: str, letters: Iterable[UUID], form: Mapping[str, str]) -> list[Call]:
    """Return one tool call for each of the dead letters. Raises `ValidationFailed`."""
    return [(f"dead_letter.{plain}", told) for plain, told in _each(verb, letters, form)]


def _each(verb: str, letters: Iterable[UUID], form: Mapping[str, str]) -> Iterator[Call]:
    """Yield the verb and the arguments for each of the letters."""
    plain = verb.removesuffix(ALL)
    if plain not in _LETTER_VERBS:
        raise ValidationFailed("There is no such button.")
    why = _reason(form)
    for letter in letters:
        key = _order(form, plain, str(letter))
        yield plain, {"dead_letter_id": str(letter), "reason": why, "idempotency_key": key}


def delivery_letter_calls(verb: str, letters: Iterable[UUID], form: Mapping[str, str]) -> list[Call]:
    """Return one tool call for each of the undelivered answers. Raises `ValidationFailed`.

    What may have arrived is sent again by a button of its own, never with all of its cause.
    """
    twice = {"resend_uncertain": True} if verb == "replay" and form.get("twice") == "yes" else {}
    return [(f"delivery_letter.{plain}", {**told, **twice}) for plain, told in _each(verb, letters, form)]


def delivery_call(verb: str, delivery: UUID, form: Mapping[str, str]) -> Call:
    """Return the tool call for a button on a delivery that has no dead letter yet. Raises `ValidationFailed`."""
    if verb.endswith(ALL):
        raise ValidationFailed("There is no such button.")
    [(tool, told)] = delivery_letter_calls(verb, [delivery], form)
    return tool, {"delivery_id" if name == "dead_letter_id" else name: said for name, said in told.items()}


def approval_call(verb: str, approval_id: str, form: Mapping[str, str]) -> Call:
    """Return the tool call for a verdict on a waiting approval. Raises `ValidationFailed`."""
    if verb not in _VERDICTS:
        raise ValidationFailed("There is no such button.")
    try:
        held = UUID(approval_id)
    except ValueError:
        raise ValidationFailed("There is no such approval.") from None
    told: dict[str, Any] = {
        "approval_id": str(held),
        "reason": _reason(form),
        "idempotency_key": _order(form, verb, str(held)),
    }
    length = ALWAYS_FOR.get(form.get("always", ""))
    if verb == "approve" and length is not None:
        told["always_for_s"] = length.total_seconds()
    return f"approval.{verb}", told


def rule_call(rule_id: str, form: Mapping[str, str]) -> Call:
    """Return the tool call that ends a standing rule. Raises `ValidationFailed`."""
    return "approval_rule.end", _end_of("rule_id", rule_id, form, otherwise="There is no such rule.")


def suppression_call(suppression_id: str, form: Mapping[str, str]) -> Call:
    """Return the tool call that ends a suppression. Raises `ValidationFailed`."""
    told = _end_of("suppression_id", suppression_id, form, otherwise="There is no such suppression.")
    return "suppression.end", told


def _end_of(name: str, given: str, form: Mapping[str, str], *, otherwise: str) -> dict[str, Any]:
    try:
        chosen = str(UUID(given))
    except ValueError:
        raise ValidationFailed(otherwise) from None
    return {name: chosen, "reason": _reason(form), "idempotency_key": _order(form, "end", chosen)}


def request_call(verb: str, request_id: str, form: Mapping[str, str]) -> Call:
    """Return the call that ends a request or gives a part to another butler. Raises `ValidationFailed`."""
    if verb not in _REQUEST_VERBS:
        raise ValidationFailed("There is no such button.")
    try:
        asked = UUID(request_id)
    except ValueError:
        raise ValidationFailed("There is no such request.") from None
    told = {
        "request_id": str(asked),
        "reason": _reason(form),
        "idempotency_key": _order(form, verb, str(asked)),
    }
    if verb in ("reroute", "correct"):
        told |= {"butler": form.get("butler", ""), "to": form.get("to", "").strip()}
        if not told["to"]:
            raise ValidationFailed("Give the butler that is to have it.")
    return f"request.{verb}", told


def hold_call(verb: str, name: str, form: Mapping[str, str]) -> Call:
    """Return the tool call that holds a butler for a while, or ends its hold. Raises `ValidationFailed`."""
    if verb not in _HOLD_VERBS:
        raise ValidationFailed("There is no such button.")
    told = {"butler": name, "reason": _reason(form), "idempotency_key": _order(form, verb, name)}
    length = HOLDS_FOR.get(form.get("for", ""))
    if verb == "hold" and length is not None:
        # Counted from when the page was shown, so that a form that is sent twice is one order.
        told["until"] = (_shown_at(form) + length).isoformat()
    return _HOLD_VERBS[verb], told


def record_call(
    verb: RecordVerb, butler: str, record_id: UUID, form: Mapping[str, str], values: Mapping[str, str]
) -> Call:
    """Return the tool call for a record at the version that the page showed. Raises `ValidationFailed`."""
    version = form.get("version", "")
    if not (version.isascii() and version.isdecimal() and 0 < len(version) < 10):
        raise ValidationFailed("Open the page anew and try again.")
    said = {
        "butler": butler,
        "record_id": str(record_id),
        "version": int(version),
        "values": dict(values),
        "reason": _reason(form),
        "idempotency_key": _order(form, verb),
    }
    return tool_of(verb), said


def _reason(form: Mapping[str, str]) -> str:
    why = form.get("reason", "").strip()
    if not why:
        raise ValidationFailed("Say why: it is kept with what is done.")
    return why


def _order(form: Mapping[str, str], *parts: str) -> str:
    return ":".join(("dashboard", form.get("order", ""), *parts))


def _shown_at(form: Mapping[str, str]) -> datetime:
    try:
        shown = datetime.fromisoformat(form.get("shown_at", ""))
    except ValueError:
        shown = None
    if shown is None or shown.tzinfo is None:
        raise ValidationFailed("Open the page anew and try again.")
    return shown
