"""A change that breaks somebody needs a version of its own, and a note on what senders change (SWB-15.4)."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from butler_contracts.compatibility import breaks, unexplained
from butler_contracts.parse import parse
from butler_contracts.problems import ContractViolation
from butler_contracts.schemas import ENVELOPES, breaking, main, rendered, schema_of

ROOT = Path(__file__).parents[3]
SCHEMAS = ROOT / "docs" / "reference" / "schemas"
OLD: dict[str, Any] = {
    "type": "object",
    "additionalProperties": True,
    "required": ["a"],
    "properties": {
        "a": {"type": "string", "maxLength": 10},
        "b": {"anyOf": [{"$ref": "#/$defs/Inner"}, {"type": "null"}]},
        "c": {"type": "array", "items": {"enum": ["x", "y"]}},
    },
    "$defs": {"Inner": {"type": "object", "properties": {"d": {"type": "integer", "minimum": 1}}}},
}


def changed(*path: str | int, to: Any = None) -> dict[str, Any]:
    new = deepcopy(OLD)
    place: Any = new
    for step in path[:-1]:
        place = place[step]
    if to is None:
        del place[path[-1]]
    else:
        place[path[-1]] = to
    return new


@pytest.mark.spec("SWB-15.4")
@pytest.mark.parametrize(
    ("new", "said"),
    [
        (changed("properties", "a"), "a: is gone"),
        (changed("required", to=["a", "c"]), "c: is required now"),
        (changed("properties", "a", "type", to="integer"), "a: is integer now"),
        (changed("properties", "a", "maxLength", to=9), "a: has a lower maxLength"),
        (changed("properties", "a", "pattern", to="x"), "a: has another pattern"),
        (changed("properties", "b", to={"$ref": "#/$defs/Inner"}), "b: takes less than before"),
        (changed("$defs", "Inner", "properties", "d", "minimum", to=2), "b: takes less than before"),
        (changed("properties", "c", "items", "enum", to=["x"]), "c[]: no longer takes y"),
        (changed("additionalProperties", to=False), "envelope: takes no further fields now"),
    ],
)
def test_what_a_reader_would_refuse_is_named_by_its_path(new: dict[str, Any], said: str) -> None:
    assert breaks(OLD, new) == [said]


@pytest.mark.spec("SWB-15.4")
def test_an_additive_change_breaks_nothing() -> None:
    assert breaks(OLD, OLD) == []
    assert breaks(OLD, changed("properties", "e", to={"type": "string"})) == []
    assert breaks(OLD, changed("properties", "a", "maxLength", to=20)) == []
    assert breaks(OLD, changed("required", to=[])) == []
    one = changed("properties", "a", to={"type": "string", "const": "x"})
    assert breaks(one, changed("properties", "a", to={"type": "string", "enum": ["x", "y"]})) == []
    assert breaks(one, changed("properties", "a", to={"type": "string", "enum": ["y"]})) == [
        "a: no longer takes x"
    ]


@pytest.mark.spec("SWB-15.4")
def test_a_breaking_change_cannot_be_written_under_its_old_version(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The other way round: the committed schema allowed more than the model of today."""
    for name, text in rendered().items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    former = json.loads((tmp_path / "ingest.v1.json").read_text("utf-8"))
    former["properties"]["mood"] = {"type": "string"}
    (tmp_path / "ingest.v1.json").write_text(json.dumps(former), encoding="utf-8")
    assert main(["--write", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert "ingest.v1: mood: is gone; a breaking change is a new version with a model of its own" in said
    assert json.loads((tmp_path / "ingest.v1.json").read_text("utf-8")) == former


@pytest.mark.spec("SWB-15.4")
def test_no_envelope_breaks_what_was_committed_and_every_new_version_is_explained() -> None:
    assert breaking(SCHEMAS) == []
    assert unexplained(ENVELOPES, (ROOT / "CHANGELOG.md").read_text("utf-8")) == []
    silent = unexplained(["ingest.v1", "ingest.v2"], "ingest.v2 is there.\n\ningest.v1 was.")
    assert silent == [
        "ingest.v2 replaces ingest.v1, and no paragraph of the changelog says what senders change"
    ]
    told = "Senders of ingest.v1 rename `mood`: ingest.v2. Both are read until the next release."
    assert unexplained(["ingest.v1", "ingest.v2"], told) == []


@pytest.mark.spec("SWB-15.4")
@pytest.mark.parametrize("version", sorted(ENVELOPES))
@pytest.mark.parametrize("claimed", ["v2", "v10", "v1.1", "V1", "", None, 1])
def test_an_unknown_or_newer_version_is_refused_in_the_same_words_before_anything_else_is_read(
    version: str, claimed: str | int | None
) -> None:
    family = version.rpartition(".")[0]
    said = f"{family}.{claimed}" if isinstance(claimed, str) and claimed else claimed
    refusals = []
    for rest in ({}, {"nonsense": [1, 2]}, {"source": None}):
        with pytest.raises(ContractViolation) as refused:
            parse(ENVELOPES[version], {"schema_version": said, **rest})
        refusals.append(refused.value.message)
    assert len(set(refusals)) == 1
    assert version in refusals[0]
    assert "schema_version" in refusals[0]
    assert schema_of(version)["properties"]["schema_version"]["const"] == version
