"""The forms of one record: a refusal is shown on its page, beside the values that were typed (ADR 0042)."""

from __future__ import annotations

from typing import Final, cast

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from butler_contracts.errors import ButlerError, ValidationFailed
from butler_contracts.record_orders import (
    RECORD_TOOLS,
    FieldProblems,
    RecordVerb,
    read_values,
    tool_of,
)
from butler_dashboard.acting.desk import Desk, Form, form_of
from butler_dashboard.acting.forms import Call, record_call
from butler_dashboard.pages.problems import refused_page
from butler_dashboard.pages.record import named_record, show_record
from butler_dashboard.pages.record_form import has_of, typed_in
from butler_dashboard.reads.reader import Reader
from butler_dashboard.reads.record_models import RecordDetail
from butler_kit.auth import Forbidden

__all__ = ["record_route"]

_PATH: Final = "/records/{butler}/{record_id}/{verb}"


def record_route(desk: Desk, reader: Reader) -> Route:
    """Return the route that the three forms of a record are sent to."""

    async def act(request: Request) -> Response:
        try:
            form = await form_of(request)
            record = await named_record(request, reader)
        except ButlerError as refused:
            return refused_page(request, desk.pages, refused)
        try:
            await desk.have_done(request, [_call(request, record, form)])
        except Forbidden as refused:
            return refused_page(request, desk.pages, refused)
        except ButlerError as refused:
            return await _said(request, desk, reader, form, refused)
        return RedirectResponse(f"/records/{record.butler}/{record.record_id}", 303)

    return Route(_PATH, act, methods=["POST"])


def _call(request: Request, record: RecordDetail, form: Form) -> Call:
    verb = request.path_params["verb"]
    if tool_of(verb) not in RECORD_TOOLS:
        raise ValidationFailed("There is no such button.")
    if verb == "edit" and record.is_withheld:
        raise ValidationFailed("It is private. Whoever told it can change it, in their own chat.")
    values = typed_in(record, form) if verb == "edit" else {}
    read_values(record.kind, has_of(record), values)
    return record_call(cast(RecordVerb, verb), record.butler, record.record_id, form, values)


async def _said(request: Request, desk: Desk, reader: Reader, form: Form, refused: ButlerError) -> Response:
    """Show the record as it is now, why the order was refused, and the values that were typed."""
    try:
        record = await named_record(request, reader)
    except ButlerError as gone:
        return refused_page(request, desk.pages, gone)
    problems = refused.fields if isinstance(refused, FieldProblems) else {}
    return show_record(
        request,
        desk.pages,
        record,
        refused="See beside the fields." if problems else refused.message,
        typed=typed_in(record, form) if request.path_params["verb"] == "edit" else {},
        problems=problems,
        reason=form.get("reason", ""),
        status=503 if refused.retryable else 400,
    )
