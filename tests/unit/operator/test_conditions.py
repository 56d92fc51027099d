"""Conditions: staged, merged without touching what did not change, told to kstatus."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_operator.reconcile.conditions import (
    Condition,
    condition_of,
    failed,
    kstatus,
    merge,
    passed,
    same_but_for_times,
    since_of,
    staged,
    unknown,
)
from butler_operator.reconcile.status import (
    ACCEPTED,
    STAGES,
    conditions_of,
    patch_of,
    paused_conditions,
    rejected,
)
from butler_resources.kinds import conditions as kinds

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(minutes=5)

conditions = st.builds(
    Condition,
    type=st.sampled_from([str(type_) for type_ in kinds.ConditionType]),
    status=st.sampled_from(["True", "False", "Unknown"]),
    reason=st.sampled_from(["Ready", "Blocked", "CrashLoop"]),
    message=st.text(max_size=20),
)
sets = st.lists(conditions, max_size=6, unique_by=lambda condition: condition.type)


def test_the_first_stage_that_fails_blocks_those_behind_it() -> None:
    seen = staged(STAGES, [ACCEPTED, failed("ResolvedRefs", "SecretNotFound", "no Secret x")])
    assert [(entry.type, entry.status, entry.reason) for entry in seen] == [
        ("Accepted", "True", "Accepted"),
        ("ResolvedRefs", "False", "SecretNotFound"),
        ("Deployed", "False", "Blocked"),
        ("Ready", "False", "SecretNotFound"),
    ]
    assert seen[2].message == "blocked by ResolvedRefs"
    assert seen[3].message == "ResolvedRefs: no Secret x", "the summary says what is wrong"


def test_a_stage_that_was_not_reached_is_pending() -> None:
    seen = staged(STAGES, [ACCEPTED])
    assert (seen[1].status, seen[1].reason) == ("Unknown", "Pending")
    assert seen[2].reason == "Blocked"


@pytest.mark.parametrize(
    ("stages", "reconciling", "stalled"),
    [
        ([passed("Accepted", "Accepted"), passed("Ready", "Ready")], "False", "False"),
        ([passed("Accepted", "Accepted"), failed("Ready", "PodsNotReady", "0 of 1")], "True", "False"),
        ([rejected("port: expected a whole number")], "False", "True"),
        ([unknown("Ready", "Pending", "")], "True", "False"),
    ],
)
def test_kstatus_says_whether_it_moves_or_is_stuck(
    stages: list[Condition], reconciling: str, stalled: str
) -> None:
    assert [condition.status for condition in kstatus(stages)] == [reconciling, stalled]


@pytest.mark.parametrize("reason", ["Suspended", "ScaledToZero"])
def test_what_is_switched_off_on_purpose_is_current_for_whoever_waits(reason: str) -> None:
    """kstatus takes any `Ready` that is not True for a change on its way, whatever `Reconciling` says."""
    reached = [
        ACCEPTED,
        passed("ResolvedRefs", "Resolved"),
        passed("Deployed", "Deployed"),
        passed("Ready", reason),
    ]
    by_type = {condition.type: condition for condition in conditions_of(reached)}
    told = [by_type[type_].status for type_ in ("Ready", "Reconciling", "Stalled")]
    assert told == ["True", "False", "False"]


def test_a_roll_out_is_under_way_although_the_butler_is_ready() -> None:
    rolling = passed("Progressing", "RollingOut", "a roll-out is on its way")
    reached = [
        ACCEPTED,
        passed("ResolvedRefs", "Resolved"),
        passed("Deployed", "Deployed"),
        passed("Ready", "Ready"),
    ]
    by_type = {condition.type: condition for condition in conditions_of(reached, progress=rolling)}
    assert (by_type["Ready"].status, by_type["Reconciling"].status) == ("True", "True")


@given(old=sets, new=sets)
def test_merging_twice_is_merging_once(old: list[Condition], new: list[Condition]) -> None:
    first = merge(merge([], old, generation=1, now=NOW), new, generation=2, now=NOW)
    assert merge(first, new, generation=2, now=LATER) == first


@given(old=sets, new=sets)
def test_time_moves_exactly_when_the_status_does_and_nothing_is_lost(
    old: list[Condition], new: list[Condition]
) -> None:
    before = {entry["type"]: entry for entry in merge([], old, generation=1, now=NOW)}
    after = {entry["type"]: entry for entry in merge(list(before.values()), new, generation=2, now=LATER)}
    assert set(after) == set(before) | {condition.type for condition in new}
    for type_, entry in after.items():
        moved = type_ not in before or before[type_]["status"] != entry["status"]
        assert entry["lastTransitionTime"] == (
            "2026-01-31T12:05:00Z" if moved else before[type_]["lastTransitionTime"]
        )


@given(old=sets, new=sets)
def test_what_is_written_is_what_the_kind_allows(old: list[Condition], new: list[Condition]) -> None:
    for entry in merge(merge([], old, generation=1, now=NOW), new, generation=2, now=LATER):
        kinds.Condition.model_validate_json(json.dumps(entry))


@given(new=sets)
def test_a_status_that_was_written_needs_no_patch(new: list[Condition]) -> None:
    fields: dict[str, Any] = {"observedGeneration": 3, "replicas": 0, "eligibility": None}
    patch = patch_of(None, fields, new, generation=3, now=NOW)
    assert patch is not None
    written = {key: value for key, value in patch.items() if value is not None}
    assert patch_of(written, fields, new, generation=3, now=LATER) is None


def test_a_verdict_on_what_a_manifest_no_longer_has_is_taken_away_and_no_other() -> None:
    known = [ACCEPTED, failed("ToolsReachable", "ToolsUnavailable", "no"), passed("TheirOwn", "OfAnother")]
    old = {"conditions": merge([], known, generation=1, now=NOW)}
    patch = patch_of(old, {}, [ACCEPTED], generation=2, now=LATER, void={"ToolsReachable"})
    assert patch is not None
    assert [one["type"] for one in patch["conditions"]] == ["Accepted", "TheirOwn"]
    after = {"conditions": patch["conditions"]}
    assert patch_of(after, {}, [ACCEPTED], generation=2, now=LATER, void={"ToolsReachable"}) is None


def test_another_order_of_the_same_conditions_is_nothing_to_write() -> None:
    known = [ACCEPTED, passed("Eligible", "Active"), passed("RoleIsolation", "OwnRole")]
    old = {"conditions": merge([], known, generation=1, now=NOW)}
    assert patch_of(old, {}, [ACCEPTED, known[2]], generation=1, now=LATER) is None
    assert patch_of(old, {}, known[::-1], generation=1, now=LATER) is None


def test_a_patch_names_only_what_changed_and_removes_what_is_none() -> None:
    old = {"replicas": 1, "readyReplicas": 1, "eligibility": {"state": "active"}, "conditions": []}
    patch = patch_of(old, {"replicas": 1, "readyReplicas": 0, "eligibility": None}, [], generation=1, now=NOW)
    assert patch == {"readyReplicas": 0, "eligibility": None}


def test_a_key_that_a_block_has_no_longer_is_removed_and_then_nothing_is_left_to_write() -> None:
    """A butler that was released: its standing names no origin any more, and the status must not go on naming one."""
    held = {"state": "quarantined", "reason": "operator_hold", "origin": "operator"}
    free = {"state": "active", "reason": "hold_ended"}
    old = {"eligibility": held, "conditions": []}
    patch = patch_of(old, {"eligibility": free}, [], generation=1, now=NOW)
    assert patch == {"eligibility": {**free, "origin": None}}
    written = _merged(old, patch)
    assert written["eligibility"] == free
    assert patch_of(written, {"eligibility": free}, [], generation=1, now=LATER) is None


blocks = st.recursive(
    st.integers(0, 3) | st.text("ab", max_size=2),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)


@given(old=blocks, new=blocks)
def test_a_server_that_merges_a_patch_has_what_was_meant(old: Any, new: Any) -> None:
    before = {"block": old, "conditions": []}
    patch = patch_of(before, {"block": new}, [], generation=1, now=NOW)
    assert (before if patch is None else _merged(before, patch))["block"] == new


def _merged(old: Any, change: Any) -> Any:
    """What a server makes of a merge patch (RFC 7396)."""
    if not isinstance(change, dict):
        return change
    known = dict(old) if isinstance(old, dict) else {}
    for key, value in change.items():
        if value is None:
            known.pop(key, None)
        else:
            known[key] = _merged(known.get(key), value)
    return known


def test_pausing_touches_one_condition() -> None:
    old = {"conditions": merge([], [ACCEPTED, passed("Ready", "Ready")], generation=1, now=NOW)}
    patch = patch_of(old, {}, paused_conditions(), generation=2, now=LATER)
    assert patch is not None
    kept = {entry["type"]: entry for entry in patch["conditions"]}
    assert kept["Ready"]["observedGeneration"] == 1
    assert kept["Reconciling"]["reason"] == "Paused"


def test_stored_conditions_are_found_with_their_age() -> None:
    status = {"conditions": merge([], [passed("Ready", "Ready", "1 of 1")], generation=1, now=NOW)}
    assert condition_of(status, "Ready") == Condition("Ready", "True", "Ready", "1 of 1")
    assert since_of(status, "Ready") == NOW
    assert condition_of(None, "Ready") is None
    assert since_of(status, "Online") is None
    assert same_but_for_times(
        status, {"conditions": merge([], [passed("Ready", "Ready", "1 of 1")], generation=1, now=LATER)}
    )
