"""One record: its values, its former values, and the forms that change it (ADR 0042)."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response

from butler_contracts.text import excerpt
from butler_dashboard.pages.record_form import fields_of, shown_values
from butler_dashboard.pages.rendering import Pages
from butler_dashboard.reads.one_record import UnknownRecord, record_detail
from butler_dashboard.reads.reader import Reader
from butler_dashboard.reads.record_models import RecordDetail

__all__ = ["named_record", "record_page", "show_record"]


async def record_page(request: Request, pages: Pages, reader: Reader) -> Response:
    """Render the record in the address. Raises `UnknownRecord`."""
    return show_record(request, pages, await named_record(request, reader))


async def named_record(request: Request, reader: Reader) -> RecordDetail:
    """Return the record in the address. Raises `UnknownRecord`."""
    name = request.path_params["record_id"]
    try:
        record_id = UUID(name)
    except ValueError:
        raise UnknownRecord(f"'{excerpt(name)}' is no record's id") from None
    return await record_detail(reader, request.path_params["butler"], record_id)


def show_record(
    request: Request,
    pages: Pages,
    record: RecordDetail,
    *,
    refused: str | None = None,
    typed: Mapping[str, str] | None = None,
    problems: Mapping[str, str] | None = None,
    reason: str = "",
    status: int = 200,
) -> Response:
    """Render the page; after a refused order, with the reason (`refused`) and the values that were typed."""
    context = {
        "item": record,
        "address": f"/records/{record.butler}/{record.record_id}",
        "fields": fields_of(record, typed, problems),
        "was": shown_values(record),
        "refused": refused,
        "reason": reason,
    }
    return pages.page(request, "record.html", context, section="records", status=status)
