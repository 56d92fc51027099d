"""Manifests against the real API server: what is taken, what is stored, and what a refusal says to change."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from butler_resources.kinds import Butler, Connector, load_manifests, parse_object
from butler_resources.kinds.names import KINDS
from tests.e2e.manifests.api import Api
from tests.e2e.manifests.table import CASES, Case

EXAMPLES = Path(__file__).parents[3] / "examples"
FINANCE = {"role": "specialist", "profile": "finance"}


@pytest.fixture(scope="module")
def api(kubeconfig: Path) -> Iterator[Api]:
    """The server, in a namespace of its own."""
    with Api(Path(kubeconfig), f"manifests-{secrets.token_hex(4)}") as server:
        server.make_namespace()
        yield server
        server.drop_namespace()


def assert_told_at_a_field(words: str) -> None:
    """A rule of ours names its field; the server says by itself that it left rules out where the shape was wrong."""
    assert "<nil>" not in words.replace(
        "<nil>: Invalid value: null: some validation rules were not checked", ""
    )


def part_of(expected: Any, found: Any) -> bool:
    """Whether `found` has everything that `expected` names."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(
            part_of(value, found.get(key)) for key, value in expected.items()
        )
    if isinstance(expected, list):
        return isinstance(found, list) and len(expected) == len(found) and all(map(part_of, expected, found))
    return bool(expected == found)


def butler(name: str, **spec: Any) -> dict[str, Any]:
    head = {"apiVersion": "butlers.dev/v1alpha1", "kind": "Butler", "metadata": {"name": name}}
    return head | {"spec": FINANCE | spec}


@pytest.mark.parametrize("case", [case for case in CASES if case.then is None], ids=str)
def test_a_manifest_is_taken_or_refused_with_what_to_change(api: Api, case: Case) -> None:
    answer = api.create(case.names.plural, case.manifest(case.name, case.spec), dry_run=True)
    if case.refused is None or case.judge == "models":
        assert answer.accepted, answer.words
        assert part_of(case.stored, answer.body["spec"]), answer.body["spec"]
    else:
        assert not answer.accepted
        assert case.refused in answer.words
        assert_told_at_a_field(answer.words)


@pytest.mark.parametrize("case", [case for case in CASES if case.then is not None], ids=str)
def test_an_update_is_taken_or_refused_with_what_to_change(api: Api, case: Case) -> None:
    name = case.name if case.name != "sample" else f"update-{secrets.token_hex(4)}"
    created = api.create(case.names.plural, case.manifest(name, case.spec))
    assert created.accepted, created.words
    version = {"resourceVersion": created.body["metadata"]["resourceVersion"]}
    update = case.manifest(name, case.then)
    answer = api.replace(case.names.plural, update | {"metadata": {"name": name} | version})
    api.delete(case.names.plural, name)
    if case.refused is None:
        assert answer.accepted, answer.words
        assert part_of(case.then, answer.body["spec"])
    else:
        assert not answer.accepted
        assert case.refused in answer.words
        assert_told_at_a_field(answer.words)


@pytest.mark.parametrize("name", ["my.finance", "switchboard", "a123456789b123456789c123456789d123456789e"])
def test_a_refused_name_is_told_at_its_field(api: Api, name: str) -> None:
    answer = api.create("butlers", butler(name), dry_run=True)
    assert "metadata.name: Invalid value" in answer.words


@pytest.mark.parametrize("place", ["demo", "household"])
def test_every_document_of_the_examples_is_taken_as_the_models_read_it(api: Api, place: str) -> None:
    documents = [
        document
        for path in sorted((EXAMPLES / place).glob("*.yaml"))
        for document in yaml.safe_load_all(path.read_text(encoding="utf-8"))
        if document and document["apiVersion"].startswith("butlers.dev/")
    ]
    manifests = load_manifests(EXAMPLES / place)
    known: dict[tuple[str, str], Butler | Connector] = {
        ("Butler", each.name): each for each in manifests.butlers
    }
    known |= {("Connector", each.name): each for each in manifests.connectors}
    assert len(documents) == len(known)
    for document in documents:
        kind, name = document["kind"], document["metadata"]["name"]
        answer = api.create(f"{kind.lower()}s", document, dry_run=True)
        assert answer.accepted, f"{kind} {name}: {answer.words}"
        assert parse_object(type(known[kind, name]), answer.body).spec == known[kind, name].spec


def test_a_status_is_written_through_its_subresource_only(api: Api) -> None:
    created = api.create("butlers", butler("statused") | {"status": {"replicas": 7}})
    assert "status" not in created.body
    condition = {
        "type": "Ready", "status": "True", "reason": "Ready", "message": "All is well.",
        "lastTransitionTime": "2026-01-31T12:00:00Z", "observedGeneration": 1,
    }  # fmt: skip
    status = {"observedGeneration": 1, "conditions": [condition], "replicas": 1, "selector": "a=b"}
    written = api.replace("butlers", created.body | {"status": status}, part="status")
    assert written.accepted, written.words
    assert written.body["status"] == status
    twice = api.replace(
        "butlers", written.body | {"status": {"conditions": [condition, condition]}}, part="status"
    )
    assert "Duplicate value" in twice.words
    bare = api.replace(
        "butlers", written.body | {"status": {"conditions": [{"type": "Ready"}]}}, part="status"
    )
    assert "status.conditions[0].reason: Required value" in bare.words


def test_a_butler_is_scaled_through_its_subresource(api: Api) -> None:
    created = api.create("butlers", butler("scaled")).body
    scale = {
        "apiVersion": "autoscaling/v1", "kind": "Scale",
        "metadata": {"name": "scaled", "resourceVersion": created["metadata"]["resourceVersion"]},
        "spec": {"replicas": 4},
    }  # fmt: skip
    answer = api.replace("butlers", scale, part="scale")
    assert answer.accepted, answer.words
    assert api.get("butlers", "scaled").body["spec"]["replicas"] == 4
    too_many = api.replace("butlers", answer.body | {"spec": {"replicas": 99}}, part="scale")
    assert "less than or equal to 50" in too_many.words


def test_a_connector_is_scaled_within_what_its_checkpoint_allows(api: Api) -> None:
    assert api.create("connectors", telegram("standing-by", checkpoint="switchboard")).accepted
    taken = api.replace("connectors", scale_of(api, "standing-by", 2), part="scale")
    assert taken.accepted, taken.words
    assert api.get("connectors", "standing-by").body["spec"]["replicas"] == 2
    none = api.replace("connectors", scale_of(api, "standing-by", 0), part="scale")
    assert "greater than or equal to 1" in none.words
    assert api.create("connectors", telegram("alone")).accepted
    alone = api.replace("connectors", scale_of(api, "alone", 2), part="scale")
    assert "a checkpoint file supports only one replica" in alone.words


def telegram(name: str, **spec: Any) -> dict[str, Any]:
    head = {"apiVersion": "butlers.dev/v1alpha1", "kind": "Connector", "metadata": {"name": name}}
    bot = {"tokenSecretRef": {"name": "telegram-bot", "key": "token"}}
    source = {"type": "telegram_bot", "endpointIdentity": f"telegram:bot:{name}", "telegramBot": bot}
    return head | {"spec": source | spec}


def scale_of(api: Api, connector: str, replicas: int) -> dict[str, Any]:
    """What `kubectl scale` writes."""
    version = api.get("connectors", connector).body["metadata"]["resourceVersion"]
    metadata = {"name": connector, "resourceVersion": version}
    return {
        "apiVersion": "autoscaling/v1",
        "kind": "Scale",
        "metadata": metadata,
        "spec": {"replicas": replicas},
    }


def test_columns_tell_a_person_how_things_are(api: Api) -> None:
    created = api.create("butlers", butler("shown")).body
    condition = {
        "type": "Ready", "status": "False", "reason": "SecretNotFound", "message": "no Secret keys",
        "lastTransitionTime": "2026-01-31T12:00:00Z",
    }  # fmt: skip
    status = {"conditions": [condition], "readyReplicas": 0, "eligibility": {"state": "stale"}}
    assert api.replace("butlers", created | {"status": status}, part="status").accepted
    shown = api.columns("butlers", "shown")
    assert next(iter(shown)) == "Name"
    assert list(shown)[-1] == "Age"
    assert [shown[title] for title in ("Ready", "Eligibility", "Role", "Profile", "Pods", "Reason", "Message")] == [
        "False", "stale", "specialist", "finance", 0, "SecretNotFound", "no Secret keys",
    ]  # fmt: skip


def test_an_operation_shows_what_it_acts_on_by_name_or_by_id(api: Api) -> None:
    by_action = {
        "quarantine": {"kind": "Butler", "name": "finance"},
        "replay": {"kind": "Request", "id": "0199"},
    }
    head = {"apiVersion": "butlers.dev/v1alpha1", "kind": "ButlerOperation"}
    for action, target in by_action.items():
        spec = {"action": action, "target": target, "reason": "a test", "requestedBy": "ada"}
        body = head | {"metadata": {"name": f"shown-{action}"}, "spec": spec}
        assert api.create("butleroperations", body).accepted
    shown = [api.columns("butleroperations", f"shown-{action}") for action in by_action]
    assert [(row["Action"], row["Kind"], row["Target"], row["By"]) for row in shown] == [
        ("quarantine", "Butler", "finance", "ada"), ("replay", "Request", "0199", "ada"),
    ]  # fmt: skip


def test_field_selectors_choose_by_role_and_type(api: Api) -> None:
    assert api.create("butlers", butler("chosen", profile="travel")).accepted
    assert "chosen" in api.names("butlers", where="spec.profile=travel")
    assert "chosen" not in api.names("butlers", where="spec.profile=finance")
    assert api.names("connectors", where="spec.type=imap") == []


def test_kinds_are_found_by_short_name_and_category(api: Api) -> None:
    resources = {each["name"]: each for each in api.document("/apis/butlers.dev/v1alpha1")["resources"]}
    assert {names.plural: resources[names.plural]["shortNames"] for names in KINDS} == {
        names.plural: [names.short] for names in KINDS
    }
    assert all(resources[names.plural]["categories"] == ["household"] for names in KINDS)
    assert {f"{names.plural}/status" for names in KINDS} | {"butlers/scale", "connectors/scale"} <= set(
        resources
    )


def test_explain_has_a_text_for_every_field(api: Api) -> None:
    schemas = api.document("/openapi/v3/apis/butlers.dev/v1alpha1")["components"]["schemas"]
    for names in KINDS:
        published = schemas[f"dev.butlers.v1alpha1.{names.kind}"]["properties"]
        assert list(silent(published["spec"], f"{names.kind}.spec")) == []
        assert list(silent(published["status"], f"{names.kind}.status")) == []


def silent(node: dict[str, Any], path: str) -> Iterator[str]:
    """Fields without a description, as the server publishes them to `kubectl explain`."""
    if not node.get("description"):
        yield path
    for name, child in node.get("properties", {}).items():
        yield from silent(child, f"{path}.{name}")
    if "items" in node:
        yield from silent(node["items"], f"{path}[]")
