"""The committed definitions: complete, explained, bounded, and what the models say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from butler_resources.crds import DEFINITIONS
from butler_resources.crds.__main__ import main
from butler_resources.crds.examples import EXAMPLES
from butler_resources.crds.files import CHART_DIRECTORY, DIRECTORY, REFERENCE_PAGE, generated_files
from butler_resources.kinds import BackfillState, ConditionType, Reason, parse_object
from butler_resources.kinds.names import KINDS

ROOT = Path(__file__).parents[3]
PLURALS = [names.plural for names in KINDS]


def parsed(text: str) -> Any:
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - both are safe


@cache
def committed(plural: str) -> Any:
    return parsed((ROOT / DIRECTORY / f"{plural}.yaml").read_text())


def version(plural: str) -> Any:
    (only,) = committed(plural)["spec"]["versions"]
    return only


def schema(plural: str) -> Any:
    return version(plural)["schema"]["openAPIV3Schema"]


def nodes(node: dict[str, Any], path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every node below the root; `metadata` is the server's own."""
    yield path, node
    for name, child in node.get("properties", {}).items():
        if (path, name) != ("", "metadata"):
            yield from nodes(child, f"{path}.{name}")
    for inner in ("items", "additionalProperties"):
        if isinstance(node.get(inner), dict):
            yield from nodes(node[inner], f"{path}[]")


def test_the_committed_files_are_what_the_models_say(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check", str(ROOT)]) == 0, capsys.readouterr().err


def test_a_changed_or_left_over_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 0
    (tmp_path / DIRECTORY / "butlers.yaml").write_text("old")
    (tmp_path / CHART_DIRECTORY / "bygone.yaml").write_text("old")
    capsys.readouterr()
    assert main(["--check", str(tmp_path)]) == 1
    assert re.findall(r"^(\S+) is not", capsys.readouterr().err, re.M) == [
        "crds/butlers.yaml", "charts/butlers-crds/templates/bygone.yaml",
    ]  # fmt: skip
    assert main([str(tmp_path)]) == 0
    assert main(["--check", str(tmp_path)]) == 0


@pytest.mark.parametrize("plural", PLURALS)
def test_every_node_can_be_explained(plural: str) -> None:
    silent = [path for path, node in nodes(schema(plural), "") if len(node.get("description", "")) < 4]
    assert silent == []


@pytest.mark.parametrize("plural", PLURALS)
def test_every_node_has_bounds(plural: str) -> None:
    def bounded(node: dict[str, Any]) -> bool:
        match node.get("type", "string"):
            case "string":
                return "maxLength" in node or "enum" in node or node.get("format", "").startswith("date")
            case "integer":
                return {"minimum", "maximum"} <= set(node)
            case "array":
                return "maxItems" in node
            case "object":
                return "properties" in node or "maxProperties" in node
        return True

    identity = (".apiVersion", ".kind")
    assert [p for p, node in nodes(schema(plural), "") if p not in identity and not bounded(node)] == []


@pytest.mark.parametrize("plural", PLURALS)
def test_every_rule_says_what_to_change(plural: str) -> None:
    rules = [
        rule for _, node in nodes(schema(plural), "") for rule in node.get("x-kubernetes-validations", [])
    ]
    assert rules
    verbs = r"\b(remove|choose|set|use|give|swap|create|change|needs|expected|say|delete)\b"
    assert [rule["message"] for rule in rules if not re.search(verbs, rule["message"])] == []


@pytest.mark.parametrize("plural", PLURALS)
def test_a_rule_of_the_whole_object_names_the_field_that_it_is_about(plural: str) -> None:
    """At the root the server has none of its own and would say `<nil>`; it takes only paths that the schema has."""
    rules = schema(plural)["x-kubernetes-validations"]
    assert {rule.get("fieldPath") for rule in rules} == {".metadata.name"}
    assert schema(plural)["properties"]["metadata"]["properties"]["name"] == {"type": "string"}


@pytest.mark.parametrize("plural", PLURALS)
def test_conditions_are_merged_by_type_and_carry_the_generation(plural: str) -> None:
    status = schema(plural)["properties"]["status"]["properties"]
    assert status["observedGeneration"]["format"] == "int64"
    conditions = status["conditions"]
    assert conditions["x-kubernetes-list-type"] == "map"
    assert conditions["x-kubernetes-list-map-keys"] == ["type"]
    assert set(conditions["items"]["required"]) == {"type", "status", "lastTransitionTime", "reason"}
    assert "observedGeneration" in conditions["items"]["properties"]


@pytest.mark.parametrize("plural", PLURALS)
def test_columns_end_with_age_and_keep_long_texts_for_wide(plural: str) -> None:
    columns = version(plural)["additionalPrinterColumns"]
    assert columns[-1]["name"] == "Age"
    assert [column["priority"] for column in columns if column["name"] == "Message"] == [1]
    assert all(column["description"] for column in columns)
    if plural in ("butlers", "connectors"):
        assert columns[0]["name"] == "Ready"


WIDEST = {
    "Name": "relationship", "Ready": "False", "Reason": "DatabaseUnavailable", "Eligibility": "quarantined",
    "Role": "switchboard", "Pods": "10", "Liveness": "offline", "Source": "HeartbeatMissed",
    "Endpoint": "imap:home@example.org", "State": "cost_capped", "Connector": "mail", "Messages": "100000",
    "Spent": "10000", "Phase": "Succeeded", "Action": "quarantine", "Target": "relationship", "Age": "100d",
}  # fmt: skip
"""What a real household's columns hold at most; a stranger's names may be longer."""


@pytest.mark.parametrize("plural", PLURALS)
def test_what_kubectl_shows_unasked_says_why_and_fits_a_terminal(plural: str) -> None:
    columns = version(plural)["additionalPrinterColumns"]
    shown = ["Name", *(column["name"] for column in columns if not column.get("priority"))]
    assert "Reason" in shown
    widest = WIDEST | ({"Name": "telegram"} if plural == "connectors" else {})
    line = "   ".join(widest[name].ljust(len(name)) for name in shown)
    assert len(line) <= 100, line


def test_names_short_names_and_category() -> None:
    found = {plural: committed(plural)["spec"]["names"] for plural in PLURALS}
    assert {plural: names["shortNames"] for plural, names in found.items()} == {
        "butlers": ["btl"], "connectors": ["btlconn"], "backfilljobs": ["bfj"], "butleroperations": ["btlop"],
    }  # fmt: skip
    assert all(names["categories"] == ["household"] for names in found.values())


def test_no_category_is_what_a_kind_is_called() -> None:
    """kubectl takes a category before a plural: `kubectl get butlers finance` failed while it was `butlers`."""
    found = [committed(plural)["spec"]["names"] for plural in PLURALS]
    called = {name for names in found for name in (names["plural"], names["singular"], *names["shortNames"])}
    assert called.isdisjoint(category for names in found for category in names["categories"])


def test_every_kind_has_a_status_subresource_and_what_has_pods_scales() -> None:
    assert all(version(plural)["subresources"]["status"] == {} for plural in PLURALS)
    scaled = {plural: version(plural)["subresources"].get("scale") for plural in PLURALS}
    assert [plural for plural, paths in scaled.items() if paths is not None] == ["butlers", "connectors"]
    for plural in ("butlers", "connectors"):
        for path in scaled[plural].values():
            _, part, field = path.split(".")
            assert field in schema(plural)["properties"][part]["properties"], path


def test_the_chart_has_the_same_definitions_and_keeps_them() -> None:
    for names in KINDS:
        template = (ROOT / CHART_DIRECTORY / f"{names.plural}.yaml").read_text()
        without_switch = re.sub(r"(?m)^  \{\{- if or .*\n(?:.*\n)*?  \{\{- end \}\}\n", "", template)
        assert parsed(without_switch) == committed(names.plural)
        assert "helm.sh/resource-policy: keep" in template


def test_what_the_definitions_name_exists_in_the_models() -> None:
    types = {type_.value for type_ in ConditionType}
    for each in DEFINITIONS.values():
        named = set(re.findall(r'@\.type=="(\w+)"', " ".join(column.path for column in each.columns)))
        assert named <= types
    assert schema("backfilljobs")["properties"]["status"]["properties"]["state"]["enum"] == list(
        BackfillState
    )


def test_reasons_and_types_are_words_that_a_condition_takes() -> None:
    assert [
        word for word in (*ConditionType, *Reason) if not re.fullmatch(r"[A-Z][A-Za-z0-9]{1,62}", word)
    ] == []


def test_the_reference_page_tells_every_field() -> None:
    page = generated_files()[REFERENCE_PAGE]
    for plural in PLURALS:
        for path, _ in nodes(schema(plural)["properties"]["spec"], "spec"):
            assert path == "spec" or path.endswith("[]") or f"`{path}`" in page, path


@pytest.mark.parametrize("plural", PLURALS)
def test_the_server_adds_nothing_to_a_status_that_the_operator_wrote(plural: str) -> None:
    status = schema(plural)["properties"]["status"]
    assert [path for path, node in nodes(status, "status") if "default" in node] == []


@pytest.mark.parametrize("kind", EXAMPLES)
def test_the_examples_of_the_reference_page_are_valid(kind: str) -> None:
    document = yaml.load(EXAMPLES[kind], Loader=yaml.BaseLoader)  # noqa: S506 - values stay text
    if kind == "BackfillJob":
        document["spec"]["rateLimitPerHour"] = int(document["spec"]["rateLimitPerHour"])
    document["metadata"].setdefault("name", "generated")
    document["metadata"].pop("generateName", None)
    assert parse_object(DEFINITIONS[kind].model, document)
    assert EXAMPLES[kind] in generated_files()[REFERENCE_PAGE]


@pytest.mark.parametrize("words", [ConditionType, Reason])
def test_the_reference_page_tells_what_conditions_and_reasons_mean(
    words: type[ConditionType | Reason],
) -> None:
    page = generated_files()[REFERENCE_PAGE]
    assert [word for word in words if not re.search(rf"^\| `{word}` \| \S", page, re.M)] == []
