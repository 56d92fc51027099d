"""What the forms of `/backfills` say, as tool calls (pure); values are checked by the tools themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from butler_contracts.errors import ValidationFailed

__all__ = ["VERBS", "create_arguments", "verb_call"]

VERBS: Final = ("pause", "resume", "cancel")
_NUMBERS: Final = {
    "rate_limit_per_hour": "messages an hour",
    "daily_cost_cap_cents": "cents a day",
}


def create_arguments(form: Mapping[str, str]) -> dict[str, Any]:
    """Of the form that orders a backfill. Raises `ValidationFailed` naming the field."""
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


def verb_call(verb: str, job_id: str) -> tuple[str, dict[str, Any]]:
    """The tool for a button, and what it is told. Raises `ValidationFailed`."""
    try:
        job = UUID(job_id)
    except ValueError:
        raise ValidationFailed("There is no such backfill.") from None
    if verb not in VERBS:
        raise ValidationFailed("There is no such button.")
    return f"backfill.{verb}", {"job_id": str(job)}
