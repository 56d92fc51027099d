"""Lists that a household can be asked for, and the options that narrow them: the same wherever it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from butler_cli.client.answers import entries_of
from butler_cli.client.dead_letters import listed
from butler_cli.client.filters import limit_option, since_option
from butler_cli.client.ops import NotFound, OpsClient
from butler_cli.client.protocol import Household

__all__ = [
    "CHANNELS",
    "REQUEST_STATES",
    "approval_filters",
    "ask_dead_letters",
    "ask_deliveries",
    "ask_quality",
    "ask_requests",
    "ask_service_levels",
    "ask_skills",
    "ask_usage",
    "by_option",
    "dead_letter_filters",
    "delivery_filters",
    "request_filters",
    "usage_filters",
]

F = TypeVar("F", bound=Callable[..., Any])
CHANNELS: Final = ("telegram", "email", "api", "mcp")
REQUEST_STATES: Final = ("accepted", "parsed", "errored", "recorded", "cancelled", "force_completed")
QUALITY_DIMENSIONS: Final = ("household", "source", "target", "model", "prompt")
DELIVERY_STATES: Final = (
    "pending", "in_progress", "sent", "bounced", "failed", "uncertain", "dead_lettered", "pending_approval",
    "pending_missing_identifier",
)  # fmt: skip


def _options(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    def decorate(command: F) -> F:
        for option in reversed((*options, since_option, limit_option)):
            command = option(command)
        return command

    return decorate


request_filters = _options(
    click.option("--channel", type=click.Choice(CHANNELS), help="Only this channel."),
)
delivery_filters = _options(
    click.option("--status", type=click.Choice(DELIVERY_STATES), help="Only deliveries in this state."),
    click.option("--channel", type=click.Choice(("telegram", "email")), help="Only this channel."),
    click.option("--intent", type=click.Choice(("send", "reply", "react")), help="Only this kind."),
    click.option("--butler", metavar="NAME", help="Only deliveries this butler asked for."),
    click.option(
        "--request", "request_id", type=click.UUID, metavar="ID", help="Only deliveries of this request."
    ),
)
dead_letter_filters = _options(
    click.option(
        "--only",
        type=click.Choice(("open", "replayed", "discarded", "all")),
        default="open",
        show_default=True,
        help="State of the dead letters to list.",
    ),
    click.option("--of", "service", type=click.Choice(("requests", "deliveries")), help="Only this kind."),
    click.option("--channel", type=click.Choice(CHANNELS), help="Only this channel."),
    click.option(
        "--butler", metavar="NAME", help="Only requests it did not finish and deliveries it asked for."
    ),
    click.option("--error-class", metavar="CLASS", help="Only failures of this error class."),
)


def approval_filters(command: F) -> F:
    """`--only` and `--limit` of the approvals."""
    only = click.option(
        "--only",
        type=click.Choice(("waiting", "approved", "denied", "expired", "all")),
        default="waiting",
        show_default=True,
        help="State of the approvals to list.",
    )
    return only(limit_option(command))


def ask_requests(household: Household, **filters: object) -> dict[str, Any]:
    """Return Switchboard's requests, newest first, under `requests`. Raises `UserError`."""
    with OpsClient(household) as ops:
        return ops.get("/requests", **filters)


def ask_deliveries(household: Household, *, butler: str | None = None, **filters: object) -> dict[str, Any]:
    """Return Messenger's deliveries, newest first, under `deliveries`. Raises `UserError`."""
    with OpsClient(household, "messenger") as ops:
        return ops.get("/deliveries", origin_butler=butler, **filters)


def usage_filters(command: F) -> F:
    """Add the options for the days of `usage`."""
    for option in (
        click.option("--days", type=click.IntRange(1, 31), help="Days to show, up to --day. [default: 1]"),
        click.option("--day", metavar="YYYY-MM-DD", help="Last UTC day to show. [default: today]"),
    ):
        command = option(command)
    return command


def ask_usage(household: Household, *, day: str | None, days: int | None) -> dict[str, Any]:
    """Return usage and cost of models, under `usage`, and what budgets `refused`. Raises `UserError`."""
    with OpsClient(household) as ops:
        return ops.get("/usage", day=day, limit=days)


by_option = click.option("--by", type=click.Choice(QUALITY_DIMENSIONS), help="Only slices of this kind.")


def ask_quality(household: Household, *, by: str | None) -> dict[str, Any]:
    """Return the quality of routing, under `slices`, and its `drifts`. Raises `UserError`."""
    with OpsClient(household) as ops:
        return ops.get("/quality", by=by)


def ask_skills(household: Household) -> dict[str, Any]:
    """Return the skills of Switchboard's sessions, under `skills`. Raises `UserError`."""
    with OpsClient(household) as ops:
        return ops.get("/skills")


def ask_circuits(household: Household) -> dict[str, Any]:
    """Return the state of the circuits of Messenger's channels, under `circuits`. Raises `UserError`."""
    with OpsClient(household, "messenger") as ops:
        return ops.get("/circuits")


def ask_service_levels(household: Household) -> dict[str, Any]:
    """Return the service levels of Switchboard, then of Messenger's channels, under `slo`. Raises `UserError`.

    Each has its `name`, that of the channel where it is one, and the `policy` by which it is decided.
    """
    found = [one for service in ("switchboard", "messenger") for one in _levels_of(household, service)]
    return {"slo": found}


def _levels_of(household: Household, service: str) -> list[dict[str, Any]]:
    """Return the levels of one service; none of a release that knew of none."""
    with OpsClient(household, service) as ops:
        try:
            answer = ops.get("/slo")
        except NotFound:
            return []
    policy = answer.get("policy")
    return [{"name": one.get("channel"), **one, "policy": policy} for one in entries_of(answer, "slo")]


def ask_dead_letters(
    household: Household,
    *,
    only: str,
    limit: int,
    service: str | None = None,
    channel: str | None = None,
    butler: str | None = None,
    **filters: object,
) -> dict[str, Any]:
    """Return dead letters of both services, newest first, under `dead_letters`. Raises `UserError`."""
    shared = {**filters, "state": only, "limit": limit, "channel": channel}
    letters: list[dict[str, Any]] = []
    if service != "deliveries":
        letters += listed(household, "switchboard", target=butler, **shared)
    if service != "requests" and channel not in ("api", "mcp"):
        letters += listed(household, "messenger", origin_butler=butler, **shared)
    newest = sorted(letters, key=lambda one: str(one.get("created_at")), reverse=True)
    return {"dead_letters": newest[:limit]}
