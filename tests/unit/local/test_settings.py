"""A setting in a manifest means under `butlers up` what it means on a cluster; a typo stops the start (D76)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from butler_cli.local.prepare import Household, prepare, process_environment, write_configuration
from butler_cli.local.state import StateDir, write_private
from butler_kit.config import ButlerConfig, load_config
from butler_resources.kinds import ManifestError
from butler_switchboard.settings import SwitchboardConfig

DEMO = Path(__file__).parents[3] / "examples" / "demo"
SETTINGS = """  role: switchboard
  retention: {keepInbox: true}
  dispatch: {targets: [{butler: travel, runTimeoutSeconds: 300}]}
  telemetry: {logLevel: debug, otlpEndpoint: "http://collector:4318"}
"""


def settled(folder: Path, said: str) -> Household:
    """The demo's household with `said` in its Switchboard's manifest."""
    directory = folder / "manifests"
    shutil.copytree(DEMO, directory, ignore=lambda _, names: [n for n in names if not n.endswith(".yaml")])
    manifest = directory / "butlers.yaml"
    manifest.write_text(manifest.read_text().replace("  role: switchboard\n", said, 1))
    return prepare(directory, state=StateDir(folder / "state"), port_base=0, env={})


def test_what_a_manifest_says_is_in_the_file_and_the_environment_of_its_process(tmp_path: Path) -> None:
    household, state = settled(tmp_path, SETTINGS), StateDir(tmp_path / "state")
    write_configuration(household, state)
    config = load_config(state.config_file("switchboard"), SwitchboardConfig, {})
    assert config.retention.keep_inbox
    assert config.dispatch.targets["travel"].run_timeout_s == 300
    assert load_config(state.config_file("finance"), ButlerConfig, {}).butler.timezone == "Europe/Berlin"
    (spec,) = (spec for spec in household.specs if spec.name == "switchboard")
    write_private(state.root / "secrets" / "database-switchboard" / "url", "postgresql://somewhere")
    inherited = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://elsewhere:4318"}
    env = process_environment(spec, secrets=household.secrets, inherited=inherited)
    assert (env["BUTLERS_LOG_LEVEL"], env["OTEL_EXPORTER_OTLP_ENDPOINT"]) == (
        "debug",
        "http://collector:4318",
    )


def test_a_misspelt_setting_stops_the_start_and_is_named_with_file_and_path(tmp_path: Path) -> None:
    with pytest.raises(ManifestError) as refused:
        settled(tmp_path, SETTINGS.replace("keepInbox", "keepInboxes"))
    assert "butlers.yaml: document 1: Butler switchboard: spec.retention.keepInboxes: unknown key" in str(
        refused.value
    )
    assert "did you mean keepInbox?" in str(refused.value)
