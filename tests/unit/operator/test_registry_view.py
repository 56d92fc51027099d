"""The registry's word, as conditions, status and events."""

from __future__ import annotations

from typing import Any

import pytest

from butler_contracts.parse import parse
from butler_operator.reconcile.butler import ButlerRules, senders_proven
from butler_operator.reconcile.conditions import Condition, failed, merge, passed, staged
from butler_operator.reconcile.connector import ConnectorRules
from butler_operator.reconcile.notices import notices
from butler_operator.reconcile.registry import RegistryView, eligible, online, view_of
from butler_operator.reconcile.status import STAGES
from butler_operator.reconcile.workload import workload_of
from butler_resources.render.registry import declaration_of, evidence_of
from butler_switchboard.operations.ops_models import DeclareBody, EvidenceBody
from tests.support.cluster_resources import api_connector, butler
from tests.unit.operator.test_conditions import LATER, NOW

IDENTITY = ("webhook", "api:home")


def view(butlers: dict[str, Any] | None = None, connectors: dict[str, Any] | None = None) -> RegistryView:
    known = {"eligibility_reason": "alive", "eligibility_updated_at": "2026-01-31T11:00:00.5Z"}
    return view_of(
        [{"name": "finance", **known, **butlers}] if butlers else [],
        [{"connector_type": "webhook", "endpoint_identity": "api:home", **connectors}] if connectors else [],
    )


@pytest.mark.parametrize(
    ("seen", "status", "reason", "says"),
    [
        (RegistryView(problem="no answer"), "Unknown", "SwitchboardUnreachable", "no answer"),
        (view(), "False", "NotDeclared", "does not know"),
        (view({"eligibility_state": "active"}), "True", "Active", "routes to it"),
        (
            view({"eligibility_state": "stale", "eligibility_reason": "pod_unready"}),
            "False",
            "Stale",
            "pod unready",
        ),
        (
            view(
                {
                    "eligibility_state": "quarantined",
                    "quarantine_origin": "operator",
                    "quarantine_reason": "sums",
                }
            ),
            "False",
            "Quarantined",
            "quarantined by operator: sums",
        ),
    ],
)
def test_eligible_says_what_switchboard_says(seen: RegistryView, status: str, reason: str, says: str) -> None:
    condition = eligible("finance", seen)
    assert (condition.status, condition.reason) == (status, reason)
    assert says in condition.message


@pytest.mark.parametrize(
    ("seen", "status", "reason"),
    [
        (RegistryView(problem="no answer"), "Unknown", "SwitchboardUnreachable"),
        (view(), "False", "NeverSeen"),
        (view(connectors={"liveness": "online", "eligibility_state": "active"}), "True", "Heartbeats"),
        (view(connectors={"liveness": "stale", "eligibility_state": "active"}), "False", "HeartbeatMissed"),
        (view(connectors={"liveness": "online", "eligibility_state": "quarantined"}), "False", "Quarantined"),
    ],
)
def test_online_says_what_switchboard_says(seen: RegistryView, status: str, reason: str) -> None:
    condition = online(IDENTITY, seen)
    assert (condition.status, condition.reason) == (status, reason)


def test_a_butlers_status_has_the_registrys_state_and_its_time() -> None:
    rules, nothing = ButlerRules(), workload_of([])
    finance = rules.parse(butler("finance"))
    seen = view({"eligibility_state": "active"})
    fields = rules.fields(finance, nothing, seen, {}, NOW)
    assert fields["eligibility"] == {"state": "active", "reason": "alive", "since": "2026-01-31T11:00:00Z"}
    assert rules.fields(finance, nothing, view(), {}, NOW)["eligibility"] is None
    assert "eligibility" not in rules.fields(finance, nothing, RegistryView(), {}, NOW), "as last heard"
    assert rules.more_conditions(finance, nothing, None) == ()


@pytest.mark.parametrize(
    ("routing", "kind", "status"),
    [
        (None, "imap", "False"),
        ({"trustedAuthservIds": ["mx.example.org"]}, "imap", "True"),
        ({"trustedEndpoints": ["imap:home"]}, "imap", "True"),
        ({"trustedEndpoints": ["imap:other"]}, "imap", "False"),
        (None, "webhook", "True"),
    ],
)
def test_a_switchboard_says_whether_a_members_mail_can_be_proven(
    routing: dict[str, Any] | None, kind: str, status: str
) -> None:
    more = {"routing": routing} if routing else {}
    switchboard = ButlerRules().parse({**butler("switchboard"), "spec": {"role": "switchboard", **more}})
    connector = {"connector_type": kind, "endpoint_identity": "imap:home"}
    seen = view_of([], [{**connector, "liveness": "online", "eligibility_state": "active"}])
    condition = senders_proven(switchboard, seen)
    assert condition is not None
    assert condition.status == status
    assert ("trustedAuthservIds" in condition.message) == (status == "False")
    assert senders_proven(switchboard, RegistryView()) is None
    assert senders_proven(ButlerRules().parse(butler("finance")), seen) is None


def test_a_connectors_liveness_has_the_time_at_which_it_was_first_seen() -> None:
    rules, nothing = ConnectorRules(), workload_of([])
    connector = rules.parse(api_connector())
    seen = view(connectors={"liveness": "online", "eligibility_state": "active"})
    first = rules.fields(connector, nothing, seen, {}, NOW)
    assert first["liveness"]["since"] == "2026-01-31T12:00:00Z"
    assert rules.fields(connector, nothing, seen, first, LATER) == first
    gone = view(connectors={"liveness": "offline", "eligibility_state": "active"})
    assert rules.fields(connector, nothing, gone, first, LATER)["liveness"]["since"] == "2026-01-31T12:05:00Z"


def test_of_two_connectors_of_one_endpoint_the_older_has_it() -> None:
    rules = ConnectorRules()
    old, new = api_connector("a"), api_connector("b")
    old["metadata"]["creationTimestamp"] = "2026-01-31T12:00:00Z"
    new["metadata"]["creationTimestamp"] = "2026-01-31T12:00:01Z"
    assert rules.taken_by(rules.parse(old), old, [new]) is None
    assert rules.taken_by(rules.parse(new), new, [old]) == "api:home is already the endpoint of Connector a"


def test_what_switchboard_is_told_is_what_it_takes() -> None:
    finance = ButlerRules().parse(butler("finance", eligibility={"quarantine": {"reason": "audit"}}))
    declared = declaration_of(finance, endpoint="http://butler-finance.home.svc:40105/mcp", now=NOW)
    assert parse(DeclareBody, declared).to_declaration().manifest_hold is not None
    told = evidence_of("finance", ready=True, restarts=2, crash_loop=False, observed_at=NOW)
    assert parse(EvidenceBody, told).to_report().restarts == 2


def test_events_are_for_transitions_only() -> None:
    quarantined = eligible("finance", view({"eligibility_state": "quarantined", "quarantine_reason": "sums"}))
    (told,) = notices(
        {"conditions": merge([], [passed("Eligible", "Active")], generation=1, now=NOW)}, [quarantined]
    )
    assert (told.type, told.reason) == ("Warning", "Quarantined")
    assert "sums" in told.note
    stored = {"conditions": merge([], [quarantined], generation=1, now=NOW)}
    assert notices(stored, [quarantined]) == ()
    (ended,) = notices(stored, [eligible("finance", view({"eligibility_state": "active"}))])
    assert (ended.type, ended.reason) == ("Normal", "Active")


def test_what_is_not_there_yet_is_no_news_and_what_is_gone_is() -> None:
    stale = eligible("finance", view({"eligibility_state": "stale", "eligibility_reason": "never_seen"}))
    silent = online(IDENTITY, view())
    assert notices(None, [stale, silent]) == ()
    was_good = merge(
        [], [passed("Eligible", "Active"), passed("Online", "Heartbeats")], generation=1, now=NOW
    )
    told = notices({"conditions": was_good}, [stale, silent])
    assert [(notice.type, notice.reason) for notice in told] == [
        ("Warning", "Stale"),
        ("Normal", "NeverSeen"),
    ]


def test_what_blocks_a_resource_is_one_event_and_not_the_summary_s_too() -> None:
    reached = staged(STAGES, [failed("Accepted", "InvalidSpec", "x: no")])
    was_good = {"conditions": merge([], [passed(type_, "Ready") for type_ in STAGES], generation=1, now=NOW)}
    assert [(one.reason, one.note) for one in notices(was_good, reached)] == [
        ("InvalidSpec", "Accepted: x: no")
    ]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (None, passed("Accepted", "Accepted"), []),
        (failed("Accepted", "InvalidSpec", "x"), passed("Accepted", "Accepted"), [("Normal", "Accepted")]),
        (None, failed("ResolvedRefs", "SecretNotFound", "no Secret a"), [("Warning", "SecretNotFound")]),
        (None, failed("Ready", "PodsNotReady", "0 of 1"), []),
        (passed("Ready", "Ready"), failed("Ready", "PodsNotReady", "0 of 1"), [("Warning", "PodsNotReady")]),
        (failed("Ready", "PodsNotReady", "0 of 1"), passed("Ready", "Ready"), [("Normal", "Ready")]),
        (passed("Ready", "Ready"), passed("Ready", "Suspended"), [("Normal", "Suspended")]),
        (None, passed("Ready", "Suspended"), []),
        (passed("Ready", "Suspended"), failed("Ready", "PodsNotReady", "0 of 1"), []),
        (passed("Ready", "Suspended"), passed("Ready", "Ready"), [("Normal", "Ready")]),
        (failed("Ready", "PodsNotReady", ""), failed("Ready", "CrashLoop", "x"), [("Warning", "CrashLoop")]),
    ],
)
def test_an_event_says_what_a_person_would_want_to_know(
    before: Condition | None, after: Condition, expected: list[tuple[str, str]]
) -> None:
    stored = {"conditions": merge([], [before], generation=1, now=NOW)} if before is not None else None
    assert [(notice.type, notice.reason) for notice in notices(stored, [after])] == expected
