"""What a BackfillJob asks for and what its status says, state by state."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from butler_operator.backfill.decide import conditions, events, fields, looks_again_s, next_verb
from butler_operator.backfill.row import Row, create_body, row_of
from butler_resources.kinds.backfill import BackfillJob, BackfillJobSpec
from butler_resources.kinds.base import Metadata
from butler_resources.kinds.statuses import BackfillState as State

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SPEC = BackfillJobSpec.model_validate_json(
    '{"connectorRef": "mail", "dateFrom": "2026-01-01", "dateTo": "2026-01-31"}'
)
ENDED = (State.COMPLETED, State.CANCELLED, State.ERROR)
ROW = Row("job-1", State.ACTIVE, 100, 500, connector_online=True, connector_type="imap")


def told(row: Row) -> dict[str, tuple[str, str]]:
    return {condition.type: (condition.status, condition.reason) for condition in conditions(row)}


@pytest.mark.parametrize(
    ("suspend", "state", "verb"),
    [
        (False, State.PENDING, None),
        (False, State.ACTIVE, None),
        (False, State.PAUSED, "resume"),
        (False, State.COST_CAPPED, None),
        (True, State.PENDING, "pause"),
        (True, State.ACTIVE, "pause"),
        (True, State.PAUSED, None),
        (True, State.COST_CAPPED, "pause"),
        *(
            (suspend, state, None)
            for suspend in (True, False)
            for state in (State.COMPLETED, State.CANCELLED, State.ERROR)
        ),
    ],
)
def test_suspend_against_the_state_is_the_whole_decision(
    suspend: bool, state: State, verb: str | None
) -> None:
    spec = SPEC.model_copy(update={"suspend": suspend})
    assert next_verb(spec, replace(ROW, state=state)) == verb


def test_a_capped_job_goes_on_by_true_and_then_false() -> None:
    capped = replace(ROW, state=State.COST_CAPPED)
    assert next_verb(SPEC, capped) is None
    assert next_verb(SPEC.model_copy(update={"suspend": True}), capped) == "pause"
    assert next_verb(SPEC, replace(capped, state=State.PAUSED)) == "resume"


def test_pace_and_cap_of_the_manifest_are_told_before_the_job_goes_on() -> None:
    paused = replace(ROW, state=State.PAUSED, daily_cost_cap_cents=9)
    assert next_verb(SPEC, paused) == "limits"
    assert next_verb(SPEC, replace(paused, state=State.COMPLETED)) is None


def test_switchboard_is_asked_again_only_while_a_connector_can_move_the_job() -> None:
    asked = {state for state in State if looks_again_s(replace(ROW, state=state), beat_s=10.0) is not None}
    assert asked == {State.PENDING, State.ACTIVE}


def test_the_conditions_of_every_state() -> None:
    running = told(ROW)
    assert running["Progressing"] == ("True", "Running")
    assert running["Reconciling"][0] == running["Stalled"][0] == "False"
    assert running["ConnectorOffline"] == ("False", "ConnectorIsOnline")
    assert told(replace(ROW, connector_online=False))["ConnectorOffline"] == ("True", "ConnectorIsOffline")
    done = told(replace(ROW, state=State.COMPLETED, connector_online=False))
    assert (done["Complete"], done["Failed"][0]) == (("True", "Completed"), "False")
    assert done["ConnectorOffline"][0] == "False"
    capped = told(replace(ROW, state=State.COST_CAPPED))
    assert capped["CostCapped"] == capped["Stalled"] == ("True", "CostCapReached")
    assert capped["Progressing"] == ("False", "CostCapReached")
    assert told(replace(ROW, state=State.PAUSED))["Progressing"] == ("False", "Suspended")
    assert told(replace(ROW, state=State.PENDING))["Progressing"] == ("False", "WaitingForConnector")
    broken = replace(ROW, state=State.ERROR, error="it broke")
    assert told(broken)["Failed"] == told(broken)["Stalled"] == ("True", "ConnectorError")
    refused = replace(broken, connector_type="telegram_bot", error="no history")
    assert told(refused)["Failed"] == ("True", "NotSupported")
    assert told(replace(ROW, state=State.CANCELLED))["Failed"] == ("True", "Cancelled")


def test_figures_are_written_at_most_once_a_minute_and_at_once_on_a_transition() -> None:
    old: dict[str, Any] = fields(replace(ROW, rows_processed=1), {}, now=NOW)
    assert (old["state"], old["rowsProcessed"], old["progressAt"]) == ("active", 1, "2026-03-01T12:00:00Z")
    more = replace(ROW, rows_processed=2)
    soon = fields(more, old, now=NOW + timedelta(seconds=59))
    assert {**old, **soon} == old
    later = fields(more, old, now=NOW + timedelta(seconds=60))
    assert (later["rowsProcessed"], later["progressAt"]) == (2, "2026-03-01T12:01:00Z")
    ended = fields(replace(more, state=State.COMPLETED), old, now=NOW + timedelta(seconds=1))
    assert (ended["state"], ended["rowsProcessed"]) == ("completed", 2)
    unchanged = fields(replace(ROW, rows_processed=1), old, now=NOW + timedelta(hours=1))
    assert {**old, **unchanged} == old


def test_an_end_and_a_cap_are_told_once() -> None:
    stored = {"conditions": [vars(c) for c in conditions(ROW)]}
    (capped,) = events(stored, conditions(replace(ROW, state=State.COST_CAPPED)))
    assert (capped.type, capped.reason) == ("Warning", "CostCapReached")
    (done,) = events(stored, conditions(replace(ROW, state=State.COMPLETED)))
    assert (done.type, done.reason) == ("Normal", "Completed")
    assert (
        events(
            {"conditions": [vars(c) for c in conditions(replace(ROW, state=State.COST_CAPPED))]},
            conditions(replace(ROW, state=State.COST_CAPPED)),
        )
        == ()
    )


def test_what_switchboard_is_asked_is_what_the_manifest_says() -> None:
    job = BackfillJob(metadata=Metadata(name="history"), spec=SPEC)
    body = {"metadata": {"name": "history", "namespace": "home", "uid": "u-1"}}
    connector = {"spec": {"type": "imap", "endpointIdentity": "imap:home"}}
    assert create_body(job, body, connector) == {
        "external_id": "u-1",
        "owner": "BackfillJob home/history",
        "connector_type": "imap",
        "endpoint_identity": "imap:home",
        "target_categories": [],
        "date_from": "2026-01-01",
        "date_to": "2026-01-31",
        "rate_limit_per_hour": 100,
        "daily_cost_cap_cents": 500,
        "suspended": False,
    }


def test_cents_are_rounded_up_and_moments_are_whole_seconds() -> None:
    row = row_of(
        {
            "job_id": "j",
            "status": "active",
            "rate_limit_per_hour": 1,
            "daily_cost_cap_cents": 2,
            "cost_spent_cents": 0.2,
            "started_at": "2026-03-01T12:00:00.123456Z",
        }
    )
    assert (row.cost_spent_cents, row.started_at, row.connector_online) == (1, "2026-03-01T12:00:00Z", False)
