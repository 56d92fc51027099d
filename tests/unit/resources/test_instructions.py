"""Instructions in a ConfigMap: mounted on a cluster, a file on one machine, told in words where they cannot be used."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from butler_cli.local.instructions import instruction_problems, write_instructions
from butler_cli.local.plan import plan_processes
from butler_cli.local.ports import Ports
from butler_cli.local.state import StateDir
from butler_resources.kinds import Manifests, parse_manifests
from butler_resources.kinds.instructions import instructions_problem
from butler_resources.render import render_butler_toml
from butler_resources.render.cluster import render_butler
from tests.unit.resources.render.households import PLACE

OWNER = {"apiVersion": "butlers.dev/v1alpha1", "kind": "Butler", "name": "home", "uid": "u"}
VARIABLE = "BUTLERS_INSTRUCTIONS_FILE"
HOME = """
apiVersion: butlers.dev/v1alpha1
kind: Butler
metadata: {name: home}
spec:
  role: specialist
  triggers: [lamps]
  instructionsFrom: {configMapRef: {name: words, key: home.md}}
  runtime: {family: api, provider: openai, baseUrl: "http://ollama:11434/v1", model: small}
"""
WORDS = """---
apiVersion: v1
kind: ConfigMap
metadata: {name: words}
data: {home.md: "You look after the lamps."}
"""


def parsed(text: str = HOME + WORDS) -> Manifests:
    return parse_manifests({"home.yaml": text})


def pod() -> dict[str, Any]:
    made: Any = render_butler(parsed().butlers[0], PLACE, owner=OWNER, inputs={})
    spec: dict[str, Any] = made[-1]["spec"]["template"]["spec"]
    return spec


def test_a_pod_has_them_as_one_file_and_its_configuration_names_the_variable() -> None:
    (process,) = pod()["containers"]
    (volume,) = [one for one in pod()["volumes"] if one["name"] == "instructions"]
    assert volume["configMap"] == {"name": "words", "items": [{"key": "home.md", "path": "instructions.md"}]}
    assert {"name": VARIABLE, "value": "/etc/butlers/instructions/instructions.md"} in process["env"]
    text = render_butler_toml(parsed().butlers[0], parsed().household, port=1)
    assert tomllib.loads(text)["butler"]["instructions_file_env"] == VARIABLE
    assert "You look after" not in text
    (init,) = pod()["initContainers"]
    assert not any(mount["name"] == "instructions" for mount in init["volumeMounts"])


def test_on_one_machine_a_config_map_among_the_manifests_becomes_a_file(tmp_path: Path) -> None:
    state = StateDir.at(tmp_path / "state")
    state.create()
    assert instruction_problems(parsed()) == []
    write_instructions(parsed(), state)
    [home] = [
        spec
        for spec in plan_processes(
            parsed(), ports=Ports({"switchboard": 1, "home": 2, "dashboard": 3}, {}), state=state, python="py"
        )
        if spec.name == "home"
    ]
    file = Path(str(home.env[VARIABLE]))
    assert file.read_text("utf-8") == "You look after the lamps."
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (HOME, "no ConfigMap words with key home.md among the manifests; add it"),
        (HOME + WORDS.replace("home.md", "other.md"), "no ConfigMap words with key home.md"),
        (HOME + WORDS.replace("You look after the lamps.", " "), "is empty"),
        (HOME + WORDS.replace("lamps.", "lamps. " * 1_200), "has 8419 characters; at most 8000"),
    ],
)
def test_what_cannot_be_used_is_told_before_anything_starts(text: str, words: str) -> None:
    (problem,) = instruction_problems(parsed(text))
    assert str(problem).startswith("Butler home: spec.instructionsFrom")
    assert words in str(problem)


def test_the_longest_text_is_one_of_eight_thousand_characters() -> None:
    assert instructions_problem("é" * 8_000) is None
    assert instructions_problem("é" * 8_001) is not None
