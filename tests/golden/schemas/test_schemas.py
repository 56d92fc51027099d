"""The committed schemas and examples are what the models say."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from butler_contracts.parse import parse
from butler_contracts.schemas import ENVELOPES, drift, main, rendered, schema_of

SCHEMAS = Path(__file__).parents[3] / "docs" / "reference" / "schemas"
EXAMPLES = sorted((Path(__file__).parent / "examples").glob("*.json"))


def version_of(example: Path) -> str:
    return str(json.loads(example.read_text(encoding="utf-8"))["schema_version"])


def test_the_committed_schemas_are_those_of_the_models() -> None:
    assert drift(SCHEMAS) == []
    assert main(["--check", str(SCHEMAS)]) == 0


def test_drift_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--write", str(tmp_path)]) == 0
    assert main(["--check", str(tmp_path)]) == 0
    (tmp_path / "ingest.v1.json").write_text("{}")
    (tmp_path / "route.v1.json").unlink()
    (tmp_path / "fax.v1.json").write_text("{}")
    assert main(["--check", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert "route.v1.json is missing" in said
    assert "fax.v1.json belongs to no envelope" in said
    assert "ingest.v1.json differs" in said
    assert "--write" in said


@pytest.mark.parametrize("version", sorted(ENVELOPES))
def test_a_schema_is_valid_and_requires_its_version(version: str) -> None:
    schema = schema_of(version)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert "schema_version" in schema["required"]
    assert schema["properties"]["schema_version"]["const"] == version
    assert f"{version}.json" in rendered()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_reads_back_as_it_was_written(example: Path) -> None:
    text = example.read_text(encoding="utf-8")
    envelope = parse(ENVELOPES[version_of(example)], text)
    assert envelope.model_dump(mode="json", by_alias=True) == json.loads(text)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_valid_by_its_schema(example: Path) -> None:
    schema = json.loads((SCHEMAS / f"{version_of(example)}.json").read_text(encoding="utf-8"))
    jsonschema.validate(
        json.loads(example.read_text(encoding="utf-8")),
        schema,
        format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER,
    )


def test_every_envelope_has_an_example() -> None:
    assert {version_of(example) for example in EXAMPLES} == set(ENVELOPES)
