"""Values: what is wrong is refused before anything reaches a cluster, and every value is documented and checked."""

from __future__ import annotations

import json

import pytest
import yaml

from tests.support.helm import CHARTS

CHART = CHARTS / "butlers"
VALUES = yaml.safe_load((CHART / "values.yaml").read_text())
SCHEMA = json.loads((CHART / "values.schema.json").read_text())


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("postgresql.mode=cnpg", "'/postgresql/mode': value must be one of 'embedded', 'external'"),
        ("postgresql.mode=external", "'/postgresql/external/existingSecret': minLength"),
        ("watchNamespace=house", "additional properties 'watchNamespace' not allowed"),
        ("watchNamespaces={House}", "'/watchNamespaces/0'"),
        ("watchNamespaces={a,a}", "'/watchNamespaces': items at 0 and 1 are equal"),
        ("operator.replicas=9", "'/operator/replicas'"),
        ("operator.leader=true", "'/operator': additional properties 'leader' not allowed"),
        ("operator.logLevel=trace", "'/operator/logLevel'"),
        ("operator.workers=0", "'/operator/workers'"),
        ("operator.runAsUser=0", "'/operator/runAsUser'"),
        ("operator.resources.limits.memory=much", "'/operator/resources/limits/memory'"),
        ("household.pod.image=mine", "additional properties 'image' not allowed"),
        ("household.pod.terminationGracePeriodSeconds=5", "'/household/pod/terminationGracePeriodSeconds'"),
        ("household.allowedImages={registry.example/team}", "'/household/allowedImages/0'"),
        ("household.extraEgressPorts={70000}", "'/household/extraEgressPorts/0'"),
        ("image.digest=latest", "'/image/digest'"),
        ("image.pullPolicy=Sometimes", "'/image/pullPolicy'"),
        ("postgresql.embedded.settings.Max Connections=1", "invalid propertyName 'Max Connections'"),
        ("postgresql.embedded.backup.keep=0", "'/postgresql/embedded/backup/keep'"),
        ("postgresql.embedded.backup.schedule=nightly", "'/postgresql/embedded/backup/schedule'"),
        ("telemetry.otlpEndpoint=collector:4318", "'/telemetry/otlpEndpoint'"),
        ("metrics.serviceMonitor.interval=often", "'/metrics/serviceMonitor/interval'"),
        ("networkPolicy.kubernetesApiPorts={https}", "'/networkPolicy/kubernetesApiPorts/0'"),
        ("extraObjects[0].kind=ConfigMap", "'/extraObjects/0'"),
        ("butlers-crds.drop=true", "additional properties 'drop' not allowed"),
    ],
)
def test_a_value_that_cannot_be_meant_is_refused_by_its_path(helm, setting, told):
    assert told in helm.refusal("butlers", "--set", setting)


def leaves(values, path=()):
    for key, value in values.items():
        if isinstance(value, dict) and value and (*path, key) not in FREE:
            yield from leaves(value, (*path, key))
        else:
            yield ".".join((*path, key))


FREE = {
    ("dashboard", "resources"),
    ("household", "pod"),
    ("operator", "resources"),
    ("postgresql", "embedded", "resources"),
    ("postgresql", "embedded", "backup", "resources"),
    ("postgresql", "embedded", "settings"),
    ("metrics", "dashboards", "labels"),
}
"""Values that are one thing, as Kubernetes or PostgreSQL defines it."""


def test_the_readme_lists_exactly_the_values():
    rows = [
        line.split("|") for line in (CHART / "README.md").read_text().splitlines() if line.startswith("| `")
    ]
    assert [row[1].strip().strip("`") for row in rows] == list(leaves(VALUES))
    assert all(row[3].strip() for row in rows)


def test_the_readme_has_the_defaults():
    table = {
        row[1].strip().strip("`"): row[2].strip().strip("`")
        for row in (line.split("|") for line in (CHART / "README.md").read_text().splitlines())
        if len(row) > 3
    }
    for path in leaves(VALUES):
        value = VALUES
        for key in path.split("."):
            value = value[key]
        assert table[path] == json.dumps(value), path


def closed(schema, path=""):
    """Objects of the schema that take any key."""
    if "$ref" in schema:
        schema = SCHEMA["definitions"][schema["$ref"].rpartition("/")[2]]
    if schema.get("type") == "object" and "additionalProperties" not in schema:
        yield path
    for key, inner in schema.get("properties", {}).items():
        yield from closed(inner, f"{path}.{key}")


def test_only_what_others_define_takes_any_key():
    assert set(closed(SCHEMA)) == {
        ".global",
        ".butlers-crds",
        ".dashboard.affinity",
        ".household.pod.affinity",
        ".operator.affinity",
        ".postgresql.embedded.affinity",
    }
