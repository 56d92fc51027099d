"""Manifests in, the cluster's objects out, compared with committed files: one for each custom resource.

After a wanted change: `python -m tests.golden.cluster.test_rendered_objects` writes them anew; read the diff.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from butler_resources.kinds import Butler, Connector, Manifests, SecretRef, load_manifests, parse_manifests
from butler_resources.kinds.pod import HouseholdPod
from butler_resources.render.cluster import (
    Place,
    references,
    render_butler,
    render_connector,
    render_namespace,
)
from tests.support.kubernetes_schemas import check_object

HERE = Path(__file__).parent
EXPECTED = HERE / "expected"
EXAMPLES = HERE.parents[2] / "examples"
PLAIN = Place(
    namespace="household",
    image="localhost/butlers:dev",
    operator_namespace="butlers-system",
    database_pods={"app.kubernetes.io/name": "butlers-postgresql"},
)
PARTICULAR = Place(
    namespace="family-b",
    image="registry.example.org/mirror/butlers:1.2.3",
    operator_namespace="operators",
    operator_pods={"app.kubernetes.io/name": "butlers-operator"},
    database=SecretRef(name="cluster-app", key="uri"),
    database_port=6432,
    image_pull_policy="Always",
    image_pull_secrets=("registry",),
    run_as=None,
    pod=HouseholdPod.model_validate_json(
        """{
        "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"memory": "1Gi"}},
        "nodeSelector": {"kubernetes.io/arch": "arm64"},
        "tolerations": [{"key": "household", "operator": "Exists", "effect": "NoSchedule"}],
        "priorityClassName": "household"
        }"""
    ),
    storage_class="fast",
    storage_size="1Gi",
    extra_egress_ports=(3128, 4318),
    metrics_namespace="monitoring",
    log_level="debug",
    log_format="console",
)
CASES = ("ha", "suspended", "own-database", "webhook", "particular-place", "particular-pods")
HOUSEHOLDS = ("demo", "household")


class _Readable(yaml.SafeDumper):
    """Files of text as blocks, leaves on one line, nothing by reference: for a person who reads a diff."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style = "|" if "\n" in value else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Readable.add_representer(str, _text)


def manifests_of(case: str) -> Manifests:
    if case in HOUSEHOLDS:
        return load_manifests(EXAMPLES / case)
    return parse_manifests({case: (HERE / "cases" / f"{case}.yaml").read_text()})


def place_of(case: str, manifests: Manifests) -> Place:
    return replace(PARTICULAR if case.startswith("particular-") else PLAIN, household=manifests.household)


def owner_of(resource: Butler | Connector) -> dict[str, str]:
    uid = f"00000000-0000-4000-8000-{sum(resource.name.encode()):012x}"
    return {"apiVersion": resource.api_version, "kind": resource.kind, "name": resource.name, "uid": uid}


def inputs_of(resource: Butler | Connector, place: Place) -> dict[str, str]:
    return {ref.name: f"hash of {ref.name}" for ref in references(resource, place)}


def objects_of(resource: Butler | Connector, place: Place) -> tuple[dict[str, Any], ...]:
    owner, inputs = owner_of(resource), inputs_of(resource, place)
    if isinstance(resource, Butler):
        return render_butler(resource, place, owner=owner, inputs=inputs)
    return render_connector(resource, place, owner=owner, inputs=inputs)


def rendered(case: str) -> Mapping[str, tuple[dict[str, Any], ...]]:
    """File name → the objects of one resource; and those of the namespace."""
    manifests = manifests_of(case)
    place = place_of(case, manifests)
    resources: tuple[Butler | Connector, ...] = (*manifests.butlers, *manifests.connectors)
    files = {
        f"{resource.kind.lower()}-{resource.name}.yaml": objects_of(resource, place) for resource in resources
    }
    return files | {"namespace.yaml": render_namespace(place)}


def as_text(objects: tuple[dict[str, Any], ...]) -> str:
    return yaml.dump_all(
        objects, Dumper=_Readable, sort_keys=False, width=110, default_flow_style=None, allow_unicode=True
    )


@pytest.mark.parametrize("case", [*HOUSEHOLDS, *CASES])
def test_a_case_renders_to_the_committed_files(case: str) -> None:
    expected = {path.name: path.read_text() for path in (EXPECTED / case).glob("*.yaml")}
    assert {name: as_text(objects) for name, objects in rendered(case).items()} == expected


@pytest.mark.parametrize("case", [*HOUSEHOLDS, *CASES])
def test_every_object_is_one_that_kubernetes_knows(case: str) -> None:
    for objects in rendered(case).values():
        for manifest in objects:
            check_object(manifest)


def test_no_value_of_a_secret_is_rendered() -> None:
    values = [value for secret in manifests_of("demo").secrets for value in secret.string_data.values()]
    assert values
    everything = "".join(as_text(objects) for objects in rendered("demo").values())
    assert [value for value in values if value in everything] == []


def write() -> None:
    """Write all committed files anew."""
    for case in (*HOUSEHOLDS, *CASES):
        folder = EXPECTED / case
        folder.mkdir(parents=True, exist_ok=True)
        for stale in folder.glob("*.yaml"):
            stale.unlink()
        for name, objects in rendered(case).items():
            (folder / name).write_text(as_text(objects))


if __name__ == "__main__":
    write()
