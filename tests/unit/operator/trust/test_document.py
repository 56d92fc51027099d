"""The trust document of a household: what is in it, what never is, what an outage leaves (D2, D3, CNX-16)."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm

from butler_kit.auth import Role, Standing, SubjectsFile, Unauthenticated
from butler_kit.auth.jwks import ISSUER_LOCAL, ISSUER_SWITCHBOARD
from butler_kit.auth.keys import generate_key_pair
from butler_kit.auth.signer import audience_of
from butler_kit.auth.verifier import TokenVerifier
from butler_kit.time import ManualClock
from butler_operator.trust import CHANGED_AT, discovered, plan_trust, pods_to_wake
from tests.support.cluster_tokens import ISSUER, OPERATOR, ClusterKeys, subject_of
from tests.unit.operator.trust.cluster import NOON, cluster_issuer, inputs, kids

MINUTE = timedelta(minutes=1)


@pytest.fixture
def own(tmp_path: Path) -> dict[str, str]:
    return generate_key_pair(tmp_path / "switchboard.pem", ISSUER_SWITCHBOARD)


def planned(observed: dict[str, Any] | None = None, *, minutes: float = 0, **more: Any) -> dict[str, Any]:
    plan = plan_trust(observed, inputs(**more), now=NOON + minutes * MINUTE)
    assert plan.config_map is not None
    return plan.config_map


def mount(folder: Path, document: dict[str, Any]) -> None:
    for name, text in document["data"].items():
        (folder / name).write_text(text)


def test_receivers_take_the_document_as_it_is(tmp_path: Path, own: dict[str, str]) -> None:
    keys = [ClusterKeys("RS256"), ClusterKeys("ES256")]
    mount(tmp_path, planned(cluster=cluster_issuer(*keys), switchboard_keys=[own]))
    clock = ManualClock(NOON)
    verifier = TokenVerifier(
        tmp_path / "jwks.json",
        audience_of("switchboard"),
        clock,
        tmp_path / "revoked.json",
        subjects=SubjectsFile(tmp_path / "subjects.json", clock),
    )
    for key in keys:
        assert verifier.verify(key.token("x", clock, sub=OPERATOR)).role is Role.OPERATOR
        with pytest.raises(Unauthenticated, match="not declared"):
            verifier.verify(key.token("connector-bot", clock))


@pytest.mark.spec("CNX-16.2")
@pytest.mark.parametrize("algorithm", ["RS256", "ES256"])
def test_what_a_real_api_server_issued_is_accepted_for_an_hour(tmp_path: Path, algorithm: str) -> None:
    recorded = json.loads((Path(__file__).parent / "data" / "api_server_1_37.json").read_text())
    issued = recorded[algorithm]
    mount(tmp_path, planned(cluster=discovered(recorded["configuration"], issued["jwks"])))
    token = ".".join(issued["token"])
    claims = jwt.decode(token, options={"verify_signature": False})
    clock = ManualClock(datetime.fromtimestamp(claims["iat"], UTC))
    known = {subject_of("connector-bot"): Standing(Role.BUTLER, name="bot")}
    directory = SimpleNamespace(find=known.get)
    verifier = TokenVerifier(tmp_path / "jwks.json", audience_of("switchboard"), clock, subjects=directory)
    caller = verifier.verify(token)
    assert (caller.subject, caller.token_id) == (subject_of("connector-bot"), claims["jti"])
    assert caller.expires_at == clock.now() + timedelta(hours=1), "exactly what was asked for"
    clock.advance(3600 + 30)
    with pytest.raises(Unauthenticated, match="expired"):
        verifier.verify(token)


def test_planning_what_is_there_changes_nothing(own: dict[str, str]) -> None:
    first = planned(switchboard_keys=[own])
    assert planned(first, minutes=60, switchboard_keys=[own]) == first
    cluster = cluster_issuer(ClusterKeys("ES256"), ClusterKeys("RS256"))
    turned = cluster_issuer(ClusterKeys("RS256"), ClusterKeys("ES256"))
    both = planned(first, minutes=1, switchboard_keys=[own], cluster=cluster)
    assert planned(both, minutes=9, switchboard_keys=[own], cluster=turned) == both


def test_only_public_members_of_the_clusters_keys_are_copied() -> None:
    entry = {**ClusterKeys("ES256").jwk, "d": "secret", "iss": ISSUER_LOCAL, "x5c": ["MII"]}
    found = discovered({"issuer": ISSUER}, {"keys": [entry]})
    assert set(found.keys[0]) == {"kty", "use", "alg", "kid", "crv", "x", "y", "iss"}
    assert found.keys[0]["iss"] == ISSUER


def test_a_key_that_receivers_do_not_take_is_left_out_and_named() -> None:
    p384 = json.loads(ECAlgorithm.to_jwk(ec.generate_private_key(ec.SECP384R1()).public_key()))
    broken = {**ClusterKeys("ES256").jwk, "kid": "broken", "x": "AA"}
    entries = [{**p384, "kid": "large", "alg": "ES384"}, broken, ClusterKeys("RS256").jwk, "no key"]
    found = discovered({"issuer": ISSUER}, {"keys": [one for one in entries if isinstance(one, dict)]})
    assert [key["kid"] for key in found.keys] == ["RS256-0"]
    assert [said.split()[1] for said in found.left_out] == ["large", "broken"]
    assert plan_trust(None, inputs(cluster=found), now=NOON).problems == found.left_out


@pytest.mark.parametrize(
    ("configuration", "keys", "said"),
    [
        ({}, [ClusterKeys("ES256").jwk], "no issuer"),
        ({"issuer": ""}, [ClusterKeys("ES256").jwk], "no issuer"),
        ({"issuer": ISSUER_LOCAL}, [ClusterKeys("ES256").jwk], "no issuer"),
        ({"issuer": ISSUER_SWITCHBOARD}, [ClusterKeys("ES256").jwk], "no issuer"),
        ({"issuer": ISSUER}, [], "no RS256 or ES256 key"),
        ({"issuer": ISSUER}, [{"kty": "RSA", "kid": "r"}], "no RS256 or ES256 key"),
        ({"issuer": ISSUER}, "none", "no RS256 or ES256 key"),
    ],
)
def test_discovery_that_names_nobody_is_refused(configuration: Any, keys: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        discovered(configuration, {"keys": keys})


def test_an_api_server_that_cannot_be_asked_changes_no_key(own: dict[str, str]) -> None:
    first = planned(switchboard_keys=[own])
    plan = plan_trust(first, inputs(cluster=None, switchboard_keys=[own]), now=NOON + MINUTE)
    assert plan.config_map == first
    assert "could not be read" in plan.problems[0]
    assert plan_trust(None, inputs(cluster=None, switchboard_keys=[own]), now=NOON).config_map is None


def test_a_key_that_somebody_added_by_hand_is_taken_out(tmp_path: Path, own: dict[str, str]) -> None:
    first = planned(switchboard_keys=[own])
    forged = copy.deepcopy(first)
    keys = json.loads(first["data"]["jwks.json"])["keys"]
    local = generate_key_pair(tmp_path / "local.pem", ISSUER_LOCAL)
    forged["data"]["jwks.json"] = json.dumps({"keys": [*keys, local]})
    for cluster in (cluster_issuer(), None):
        again = planned(forged, minutes=1, switchboard_keys=[own], cluster=cluster)
        assert again["data"] == first["data"]


def test_the_moment_of_a_key_is_that_of_its_first_appearance(tmp_path: Path, own: dict[str, str]) -> None:
    following = generate_key_pair(tmp_path / "next.pem", ISSUER_SWITCHBOARD)
    first = planned(switchboard_keys=[own])
    second = planned(first, minutes=5, switchboard_keys=[own, following])
    since = json.loads(second["metadata"]["annotations"]["butlers.dev/switchboard-keys-since"])
    assert since == {own["kid"]: NOON.isoformat(), following["kid"]: (NOON + 5 * MINUTE).isoformat()}
    assert kids(second) == {own["kid"], following["kid"]}
    assert second["metadata"]["annotations"][CHANGED_AT] == (NOON + 5 * MINUTE).isoformat()


def test_only_operators_and_dashboards_are_static_subjects() -> None:
    subjects = {OPERATOR: "operator", subject_of("butlers-reader"): "dashboard"}
    document = json.loads(planned(subjects=subjects)["data"]["subjects.json"])
    assert document["subjects"][subject_of("butlers-reader")] == {"role": "dashboard"}
    for wrong in ({"ada": "operator"}, {OPERATOR: "connector"}, {OPERATOR: "switchboard"}):
        with pytest.raises(ValueError, match=r"subject|role"):
            planned(subjects=wrong)


def test_a_deny_list_is_taken_over_and_a_broken_one_keeps_the_last() -> None:
    denied = json.dumps({"tokens": ["stolen"], "subjects": {OPERATOR: NOON.isoformat()}})
    first = planned(revoked=denied)
    assert json.loads(first["data"]["revoked.json"])["tokens"] == ["stolen"]
    for broken in ("{", '{"tokens": "stolen"}', '{"token": []}', '{"subjects": {"a": "yesterday"}}'):
        plan = plan_trust(first, inputs(revoked=broken), now=NOON + MINUTE)
        assert plan.config_map == first
        assert "the last good one stays" in plan.problems[0]
    assert json.loads(planned(first, minutes=1)["data"]["revoked.json"]) == {"subjects": {}, "tokens": []}
    assert json.loads(planned(revoked="{")["data"]["revoked.json"])["tokens"] == []


def test_a_deny_list_under_another_key_revokes_and_restores_nothing_and_is_told() -> None:
    first = planned(revoked=json.dumps({"tokens": ["stolen"], "subjects": {}}))
    plan = plan_trust(first, inputs(revoked=""), now=NOON + MINUTE)
    assert plan.config_map == first
    assert "has no key revoked.json; the last good one stays" in plan.problems[0]


def pod(name: str, created: str, **more: Any) -> dict[str, Any]:
    metadata = {"name": name, "creationTimestamp": created, **more}
    return {"metadata": metadata, "status": {"phase": "Running"}}


@pytest.mark.spec("CNX-16.2")
def test_pods_are_woken_once_for_each_change_and_new_ones_not_at_all() -> None:
    document = planned()
    changed = document["metadata"]["annotations"][CHANGED_AT]
    old, new = pod("old", "2026-03-04T11:59:59Z"), pod("new", "2026-03-04T12:00:01Z")
    leaving = pod("leaving", "2026-03-04T11:00:00Z", deletionTimestamp="2026-03-04T12:00:00Z")
    done = {**pod("done", "2026-03-04T11:00:00Z"), "status": {"phase": "Succeeded"}}
    ((name, patch),) = pods_to_wake([old, new, leaving, done], document)
    assert name == "old"
    told = pod("old", "2026-03-04T11:59:59Z", **patch["metadata"])
    assert pods_to_wake([told, new], document) == ()
    later = planned(document, minutes=5, revoked='{"tokens": ["stolen"]}')
    assert later["metadata"]["annotations"][CHANGED_AT] != changed
    assert [name for name, _ in pods_to_wake([told, new], later)] == ["old", "new"]
    assert pods_to_wake([old], None) == ()
