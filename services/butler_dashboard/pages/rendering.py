"""Rendering of templates: one environment, everything escaped, times in the household's zone.

Invariant: a page holds no inline script or style and names no other origin; the policy sent with every response
would block both (`web.surroundings`).
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse

from butler_dashboard.auth.sessions import form_key_of
from butler_dashboard.auth.sign_in import SignInPage
from butler_dashboard.pages import commands, facts, moments, names, words
from butler_dashboard.pages.charts import Volume
from butler_dashboard.pages.walk import Step
from butler_dashboard.reads.backfill_models import BackfillSummary
from butler_dashboard.reads.delivery_models import DeliverySummary
from butler_dashboard.reads.record_models import RecordSummary
from butler_dashboard.reads.request_models import RequestLife, RequestSummary
from butler_kit.time import Clock

__all__ = ["SECTIONS", "STATIC", "Pages", "static_url"]

SECTIONS: Final = (
    ("today", "Today"),
    ("connectors", "Connectors"),
    ("requests", "Requests"),
    ("records", "Records"),
    ("deliveries", "Deliveries"),
    ("approvals", "Approvals"),
    ("dead-letters", "Dead letters"),
    ("butlers", "Butlers"),
    ("backfills", "Backfills"),
    ("quality", "Quality"),
    ("usage", "Usage"),
)
STATIC: Final = Path(__file__).parents[1] / "static"
_JOINTS: Final = re.compile(r"(?<=[:@/._-])(?=\w)")
_TEMPLATES: Final = Path(__file__).parents[1] / "templates"


class Pages:
    """Renders templates for one household."""

    def __init__(self, *, zone: ZoneInfo, clock: Clock) -> None:
        self._zone = zone
        self._clock = clock
        self._environment = _environment(zone)

    def now(self) -> datetime:
        return self._clock.now()

    def page(
        self,
        request: Request,
        template: str,
        context: Mapping[str, Any],
        *,
        section: str | None = None,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> HTMLResponse:
        """Render a page; `section` is the menu entry it belongs to."""
        query = request.url.query
        now, form_key = self.now(), form_key_of(request)
        html = self._environment.get_template(template).render(
            request=request,
            here=f"{request.url.path}?{query}" if query else request.url.path,
            section=section,
            sections=SECTIONS,
            waiting_in=getattr(request.state, "waiting", {}),
            zone=self._zone.key,
            now=now,
            form_key=form_key,
            order=secrets.token_hex(16) if form_key else "",
            **context,
        )
        return HTMLResponse(html, status, headers={"cache-control": "no-store", **(headers or {})})

    def sign_in(self, shown: SignInPage) -> str:
        """Render the page that asks for a token."""
        template = self._environment.get_template("login.html")
        return template.render(
            problem=shown.problem, next_path=shown.next_path, zone=self._zone.key, now=self.now()
        )


def _environment(zone: ZoneInfo) -> Environment:
    made = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.globals.update(
        static=static_url,
        approval_actions=commands.approval_actions,
        backfill_actions=commands.backfill_actions,
        butler_actions=commands.butler_actions,
        delivery_actions=commands.delivery_actions,
        letter_actions=commands.letter_actions,
    )

    @pass_context
    def when(context: Context, moment: datetime) -> str:
        return moments.when(moment, zone, context["now"])

    @pass_context
    def ago(context: Context, moment: datetime) -> str:
        return moments.ago(moment, context["now"])

    @pass_context
    def about_when(context: Context, record: RecordSummary) -> str:
        return facts.about_when(record, context["now"].astimezone(zone).date())

    made.filters.update(
        about_when=about_when,
        ago=ago,
        breakable=_breakable,
        cents=lambda microcents: f"{microcents // 10_000 / 100:,.2f}",
        clock_time=lambda moment: moments.clock_time(moment, zone),
        count=moments.count,
        day=moments.day,
        delivery_problem=_delivery_problem,
        diverted_word=names.diverted_word,
        error_word=lambda name: words.failure(name, None),
        facts=facts.facts,
        failure=words.failure,
        intent_word=words.intent_word,
        suppression_word=words.suppression_word,
        kind_word=facts.kind_word,
        mark=lambda moment, shown: _mark(moment, shown, zone),
        money=lambda cents: f"{cents / 100:,.2f}",
        offset=moments.offset,
        parts=lambda average: "–" if average is None else f"{average:.2f}",
        percent=moments.percent,
        shown_title=facts.shown_title,
        since=_since,
        span=moments.span,
        spent_share=_spent_share,
        state_tone=words.state_tone,
        state_word=words.state_word,
        took=_took,
        type_word=words.type_word,
        utc=moments.utc,
        utc_iso=moments.utc_iso,
        when=when,
    )
    return made


def _delivery_problem(item: DeliverySummary) -> str:
    error = item.error
    return words.not_delivered(item.status, error.error_class, error.message) if error else ""


def _mark(moment: datetime, shown: Volume, zone: ZoneInfo) -> str:
    """Return a label for the time axis of a chart."""
    if shown.daily:
        return f"{moment.day} {moment:%b}"
    local = moment.astimezone(zone)
    return f"{local.day} {local:%b}" if len(shown.starts) > 48 else f"{local:%H:%M}"


def _breakable(text: str) -> Markup:
    """Return an identity that may wrap at its separators and copies as plain text."""
    return Markup("<wbr>").join(escape(part) for part in _JOINTS.split(text))


def _took(item: RequestSummary | RequestLife) -> str:
    if item.final_state_at is None:
        return "–"
    return moments.span(moments.seconds_between(item.received_at, item.final_state_at))


def _since(step: Step, start: datetime) -> str:
    return moments.offset(moments.seconds_between(start, step.at))


def _spent_share(job: BackfillSummary) -> float:
    return min(1.0, max(0.0, job.cost_spent_today_cents / job.daily_cost_cap_cents))


@cache
def static_url(name: str) -> str:
    """Return the address of a file in `static`; it changes with the content, so it can be cached forever."""
    digest = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?v={digest}"
