"""The addresses that forms are sent to: an operator's orders (D80, ADR 0037)."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request
from starlette.routing import BaseRoute

from butler_dashboard.acting.desk import Desk, Form
from butler_dashboard.acting.forms import (
    ALL,
    Call,
    approval_call,
    create_arguments,
    delivery_call,
    delivery_letter_calls,
    hold_call,
    letter_calls,
    letter_id,
    request_call,
    rule_call,
    suppression_call,
    verb_call,
)
from butler_dashboard.acting.orders import Orders
from butler_dashboard.acting.records import record_route
from butler_dashboard.auth.sessions import Sessions
from butler_dashboard.pages.rendering import Pages
from butler_dashboard.reads.dead_letters import open_letters_like
from butler_dashboard.reads.reader import Reader

__all__ = ["acting_routes"]


def acting_routes(pages: Pages, sessions: Sessions, orders: Orders | None, reader: Reader) -> list[BaseRoute]:
    """Return the route of every form."""
    desk = Desk(pages, sessions, orders)

    async def backfill(_: Request, form: Form) -> Sequence[Call]:
        return [("create_backfill_job", create_arguments(form))]

    async def backfill_verb(request: Request, _: Form) -> Sequence[Call]:
        return [verb_call(request.path_params["verb"], request.path_params["job_id"])]

    async def letters(request: Request, form: Form) -> Sequence[Call]:
        verb, chosen = request.path_params["verb"], letter_id(request.path_params["dead_letter_id"])
        found = await open_letters_like(reader, chosen, "request") if verb.endswith(ALL) else [chosen]
        return letter_calls(verb, found, form)

    async def delivery_letter(request: Request, form: Form) -> Sequence[Call]:
        verb, chosen = request.path_params["verb"], letter_id(request.path_params["dead_letter_id"])
        found = await open_letters_like(reader, chosen, "delivery") if verb.endswith(ALL) else [chosen]
        return delivery_letter_calls(verb, found, form)

    async def verdict(request: Request, form: Form) -> Sequence[Call]:
        return [approval_call(request.path_params["verb"], request.path_params["approval_id"], form)]

    async def rule(request: Request, form: Form) -> Sequence[Call]:
        return [rule_call(request.path_params["rule_id"], form)]

    async def suppression(request: Request, form: Form) -> Sequence[Call]:
        return [suppression_call(request.path_params["suppression_id"], form)]

    async def override(request: Request, form: Form) -> Sequence[Call]:
        return [request_call(request.path_params["verb"], request.path_params["request_id"], form)]

    async def hold(request: Request, form: Form) -> Sequence[Call]:
        return [hold_call(request.path_params["verb"], request.path_params["name"], form)]

    return [
        desk.route("/backfills", backfill),
        desk.route("/backfills/{job_id}/{verb}", backfill_verb),
        desk.route("/dead-letters/{dead_letter_id}/{verb}", letters),
        desk.route("/dead-letters/deliveries/{dead_letter_id}/{verb}", delivery_letter),
        desk.route("/deliveries/{delivery_id}/{verb}", _delivery),
        desk.route("/approvals/{approval_id}/{verb}", verdict),
        desk.route("/approval-rules/{rule_id}/end", rule, page="/approvals"),
        desk.route("/deliveries/suppressions/{suppression_id}/end", suppression),
        desk.route("/butlers/{name}/{verb}", hold),
        desk.route("/requests/{request_id}/{verb}", override),
        record_route(desk, reader),
    ]


async def _delivery(request: Request, form: Form) -> Sequence[Call]:
    chosen = letter_id(request.path_params["delivery_id"])
    return [delivery_call(request.path_params["verb"], chosen, form)]
