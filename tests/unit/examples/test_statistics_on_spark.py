"""The example of statistics on Spark is the household's Switchboard with another engine, and works as it is."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

from butler_resources.kinds import load_manifests
from butler_resources.render import render_butler_toml
from butler_resources.render.checks import household_problems

EXAMPLES = Path(__file__).parents[3] / "examples"


def test_the_example_hands_the_statistics_of_a_household_to_spark(tmp_path: Path) -> None:
    for name in ("butlers.yaml", "connectors.yaml"):
        shutil.copy(EXAMPLES / "household" / name, tmp_path / name)
    others = [
        document
        for document in (tmp_path / "butlers.yaml").read_text("utf-8").split("\n---\n")
        if "name: switchboard" not in document
    ]
    (tmp_path / "butlers.yaml").write_text("\n---\n".join(others), "utf-8")
    shutil.copy(EXAMPLES / "statistics-on-spark" / "switchboard.yaml", tmp_path / "switchboard.yaml")
    manifests = load_manifests(tmp_path)
    assert household_problems(manifests) == []
    [switchboard] = manifests.with_role("switchboard")
    rendered = tomllib.loads(render_butler_toml(switchboard, manifests.household, port=40100))
    assert rendered["rollups"] == {"engine": "spark"}
