"""Whatever a stranger writes is shown as text: in names, in messages, in errors, in commands."""

from __future__ import annotations

import json
import shlex
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from uuid import UUID

import pytest

from butler_dashboard.auth.sign_in import SignInPage
from butler_dashboard.pages.charts import Series, small_bars, volume
from butler_dashboard.pages.commands import butler_actions, request_actions
from butler_dashboard.pages.connectors import Card, Cell, Counts, Matrix, MatrixRow
from butler_dashboard.pages.lanes import lanes_of
from butler_dashboard.pages.quality import BY, CHARTED, shown_quality, shown_rollout
from butler_dashboard.pages.walk import steps_of
from butler_dashboard.reads.people import People
from butler_dashboard.reads.quality import Arm, Quality, Rollout
from butler_dashboard.reads.record_models import Agenda, OpenList
from butler_dashboard.reads.request_models import RequestError
from butler_dashboard.reads.today import Cause, DayCounts, Undecided
from butler_rollups.drift import Drift, Report, Share
from butler_rollups.quality import Dimension, Measure, QualityDay, Slice
from tests.support import dashboard_samples as samples
from tests.support.dashboard_samples import NOW

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "{{ 7*7 }}{% for x in y %}",
    "javascript:alert(1)",
    "</title><h1>taken over</h1>",
    "&lt;b&gt; & \u202egnp.exe",
)


def _connectors(shown, said):
    card = Card(
        samples.connector(
            endpoint_identity=said, connector_type=said, state=said, error_message=said, version=said
        ),
        None,
        small_bars((1, 2)),
    )
    matrix = Matrix("7d", (said,), (MatrixRow(said, (Cell(3, 4),), 3),), 0)
    entry = SimpleNamespace(at=NOW, endpoint_identity=said, state=said, error_message=said)
    chart = volume((NOW, NOW + timedelta(hours=1)), timedelta(hours=1), [Series(said, (1, 2))])
    return shown(
        "/connectors",
        "connectors.html",
        connectors=[card],
        counts=Counts(1, 1, 0, 0, 3, 0, None),
        volume=chart,
        stats_period="24h",
        fanout=matrix,
        errors=[entry],
    )


def _requests(shown, said):
    item = samples.request(
        excerpt=said,
        sender_identity=said,
        butlers=(said,),
        answer=said,
        channel=said,
        state=said,
        diverted_from=said,
        error=RequestError(error_class=said, message=said),
    )
    found = SimpleNamespace(requests=[item], next=None)
    filters = {**_FILTERS, "q": said, "butler": said, "sender_identity": said, "endpoint_identity": said}
    people = People({UUID(int=1): said}, {(said, said.casefold()): UUID(int=1)})
    return shown(
        "/requests", "requests.html", found=found, filters=filters, butlers=[(said, said)], people=people
    )


def _request(shown, said):
    life = samples.life(
        text=said,
        error=RequestError(error_class=said, message=said),
        state="errored",
        subroutes=(samples.subroute(said, said, 1, state="error", error_class=said, error_message=said),),
        deliveries=(
            samples.undelivered(1, "failed", target_identity=said, origin_butler=said, channel=said),
        ),
    )
    return shown(
        "/requests/x",
        "request.html",
        life=life,
        lanes=lanes_of(life, NOW),
        steps=steps_of(life, NOW),
        actions=request_actions(life),
        headline=said,
        barred=said,
    )


def _deliveries(shown, said):
    item = samples.undelivered(
        1, "uncertain", target_identity=said, origin_butler=said, intent=said, excerpt=said
    )
    found = SimpleNamespace(deliveries=[item], next=None)
    suppressed = SimpleNamespace(
        suppression_id=UUID(int=1),
        channel=said,
        target_identity=said,
        reason=said,
        evidence=said,
        created_at=NOW,
        created_by=said,
        refused_at=NOW,
        refused_origin=said,
    )
    return shown(
        "/deliveries",
        "deliveries.html",
        found=found,
        suppressed=[suppressed],
        filters={**_FILTERS, "origin_butler": said, "intent": said},
        butlers=[(said, said)],
    )


def _dead_letters(shown, said):
    item = samples.letter(
        origin=said, targets=(said,), error_message=said, error_class=said, channel=said, excerpt=said
    )
    asked = samples.letter(3, kind="request", origin=said, targets=(said,), error_message=said, excerpt=said)
    closed = samples.letter(
        2, state="discarded", closed_at=NOW, closed_by=said, closed_reason=said, outcome=said
    )
    found = SimpleNamespace(dead_letters=[item, asked, closed], next=None)
    return shown(
        "/dead-letters",
        "dead-letters.html",
        acting=True,
        found=found,
        filters=_FILTERS,
        causes=[_cause(said)],
    )


def _approvals(shown, said):
    waiting = samples.approval(
        origin_butler=said, target_identity=said, channel=said, subject=said, message=said, status=said
    )
    decided = samples.approval(state="denied", decided_at=NOW, decided_by=said, reason=said)
    call = samples.approval(kind="call", origin_butler=said, tool=said, channel="tool", message=said)
    found = SimpleNamespace(approvals=[waiting, call, decided], next=None)
    rule = SimpleNamespace(
        rule_id=UUID(int=1),
        channel=said,
        tool=said,
        arguments=said,
        origin_butler=said,
        target_identity=said,
        expires_at=NOW,
        created_at=NOW,
        created_by=said,
        reason=said,
    )
    called = SimpleNamespace(**{**vars(rule), "channel": "tool"})
    return shown("/approvals", "approvals.html", found=found, rules=[rule, called], filters=_FILTERS)


def _butlers(shown, said):
    item = samples.butler(
        name=said,
        role=said,
        description=said,
        eligibility_state="quarantined",
        quarantine_reason=said,
        quarantine_origin=said,
        eligibility_reason=said,
    )
    runtime = SimpleNamespace(
        family=said,
        fallback=said,
        fault_kind=said,
        fault_message=said,
        since=datetime(2026, 1, 1, tzinfo=UTC),
    )
    found = SimpleNamespace(
        butlers=[item], next=None, runtime=runtime, runtimes=[SimpleNamespace(butler=said, **vars(runtime))]
    )
    return shown("/butlers", "butlers.html", found=found)


def _backfills(shown, said):
    item = samples.backfill(
        endpoint_identity=said, error=said, owner=said, created_by=said, target_categories=(said,)
    )
    return shown("/backfills", "backfills.html", found=SimpleNamespace(backfills=[item], next=None))


def _quality(shown, said):
    until = NOW.date()
    days = [
        QualityDay(
            until - timedelta(days=back), said, said, said, said, 10, 10, 0, 5 if back <= 7 else 0, 0, 0, 0, 0
        )
        for back in range(1, 36)
    ]
    drift = Drift(Slice(Dimension.MODEL, said), Measure.CORRECTED, Share(35, 70), Share(0, 280), 0.0)
    context = shown_quality(Quality(tuple(days), Report(until, 6, (drift,))), "target", "decisions")
    arm = Arm(said, said, 10, 1, 1, 1, 1)
    rollout = shown_rollout(Rollout(1, NOW, None, "fallbacks", arm, arm))
    return shown(
        "/quality", "quality.html", by="target", show="decisions", dimensions=BY, measures=CHARTED,
        rollouts=[rollout], **context,
    )  # fmt: skip


def _cause(said):
    return Cause(
        kind="request", error_class=said, error_message=said, letters=2, newest_at=NOW, newest_id=UUID(int=1)
    )


def _records(shown, said):
    kept = samples.record(
        butler=said, title=said, text=said, kind=said, party=said, channel=said, sender_identity=said
    )
    named = samples.record(person=said, unit=said, quantity=1, currency=said, amount=2, sender_class=said)
    found = SimpleNamespace(records=[kept, named], unread=(said,), next=None)
    choices = [(said, said)]
    return shown(
        "/records", "records.html", found=found, filters={**_FILTERS, "q": said, "person": said, "butler": said},
        butlers=choices, kinds=choices, persons=choices,
    )  # fmt: skip


def _today(shown, said):
    item = samples.request(
        excerpt=said, sender_identity=said, butlers=(said,), answer=said, channel=said, state=said
    )
    held = samples.butler(name=said, eligibility_state="quarantined", quarantine_reason=said)
    kept = samples.record(butler=said, title=said, text=said, kind=said, party=said, place=said, code=said)
    return shown(
        "/today",
        "today.html",
        agenda=Agenda(coming=(kept,), lists=(OpenList(name=said, items=(kept,)),)),
        counts=DayCounts(messages=1, done=0, failed=1, under_way=0, since=NOW),
        messages=[item],
        waiting=Undecided(causes=(_cause(said),), uncertain=1),
        approvals=[samples.approval(origin_butler=said, target_identity=said, message=said)],
        more_approvals=True,
        quarantined=[held],
        silent=[held],
        troubled=[samples.connector(endpoint_identity=said, state=said, error_message=said)],
    )


_FILTERS = {"error_class": "", "state": "", "channel": "", "since": "", "status": "", "kind": ""}
PAGES = {
    "today": _today,
    "connectors": _connectors,
    "requests": _requests,
    "records": _records,
    "request": _request,
    "deliveries": _deliveries,
    "approvals": _approvals,
    "dead-letters": _dead_letters,
    "butlers": _butlers,
    "backfills": _backfills,
    "quality": _quality,
}


@pytest.mark.parametrize("said", HOSTILE)
@pytest.mark.parametrize("name", PAGES)
def test_hostile_text_is_shown_as_it_is_and_makes_no_element_and_no_attribute(shown, name, said):
    plain, hostile = PAGES[name](shown, "harmless"), PAGES[name](shown, said)
    assert " ".join(said.split()) in hostile.words
    assert _shape(hostile.tree) == _shape(plain.tree)


def _shape(tree):
    """Elements with the names of their attributes; joints where text may wrap do not count."""
    return [
        (element.tag, tuple(sorted(element.attrib)))
        for element in tree.iter()
        if isinstance(element.tag, str) and element.tag != "wbr"
    ]


@pytest.mark.parametrize("name", PAGES)
def test_no_page_holds_inline_code_or_names_another_origin(shown, name):
    page = PAGES[name](shown, "harmless")
    for element in page.tree.iter():
        assert "style" not in element.attrib
        assert not [attribute for attribute in element.attrib if attribute.startswith(("on", "hx-on"))]
        for attribute in ("src", "href", "action", "hx-get"):
            assert element.get(attribute, "/").startswith(("/", "#"))
    assert not page.tree.xpath("//style | //script[not(@src)] | //iframe | //object | //embed")


def test_the_figures_of_the_chart_are_data_whatever_a_connector_is_called(shown):
    (figure,) = _connectors(shown, HOSTILE[1]).tree.xpath("//figure")
    assert json.loads(figure.get("data-volume"))["series"][0]["name"] == HOSTILE[1]


def test_a_hostile_name_stays_one_word_of_a_command():
    name = "x; rm -rf / $(reboot) `id` 'a' \"b\""
    for action in butler_actions(samples.butler(name=name)):
        assert shlex.split(action.here)[2] == name
        assert shlex.split(action.on_a_cluster)[3] == name


@pytest.mark.parametrize("said", HOSTILE)
def test_the_sign_in_page_repeats_a_problem_as_text(pages, said):
    text = pages.sign_in(SignInPage(said, "/requests?state=errored"))
    assert "<img" not in text
    assert "alert(1)</script>" not in text
    assert 'name="next" value="/requests?state=errored"' in text
