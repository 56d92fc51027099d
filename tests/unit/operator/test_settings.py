"""Settings: what the environment may say, and every knob of the framework."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import kopf
import pytest

from butler_operator.control.place import place_for
from butler_operator.logs import configure_operator_logging
from butler_operator.settings import OperatorSettings, SettingsError, configure

HOME = {"BUTLERS_NAMESPACES": "home, cabin"}


def test_namespaces_are_a_list_or_the_pods_own(tmp_path: Path) -> None:
    assert OperatorSettings.from_env(HOME).namespaces == ("home", "cabin")
    own = tmp_path / "namespace"
    own.write_text("here\n")
    assert OperatorSettings.from_env({}, own_namespace_file=own).namespaces == ("here",)
    with pytest.raises(SettingsError, match="BUTLERS_NAMESPACES"):
        OperatorSettings.from_env({}, own_namespace_file=tmp_path / "none")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BUTLERS_RESYNC_SECONDS", "soon"),
        ("BUTLERS_WORKERS", "0"),
        ("BUTLERS_IMAGE_PULL_POLICY", "Sometimes"),
        ("BUTLERS_LOG_LEVEL", "loud"),
        ("BUTLERS_SERVICE_LOG_FORMAT", "xml"),
    ],
)
def test_a_value_that_is_none_is_named(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name):
        OperatorSettings.from_env({**HOME, name: value})


def test_every_knob_of_the_framework_is_set() -> None:
    settings = kopf.OperatorSettings()
    configure(settings)
    watching, persistence = settings.watching, settings.persistence
    assert (watching.server_timeout, watching.client_timeout, watching.connect_timeout) == (600, 660, 30)
    assert (watching.inactivity_timeout, watching.reconnect_backoff, watching.chunk_size) == (70, 1.0, 500)
    assert watching.label_selectors["", "v1", "pods"] == "app.kubernetes.io/managed-by=butlers-operator"
    assert watching.label_selectors["apps", "v1", "deployments"]
    assert ("", "v1", "secrets") not in watching.label_selectors
    assert (settings.networking.request_timeout, settings.networking.connect_timeout) == (30, 10)
    assert settings.queueing.worker_limit is None
    assert settings.peering.standalone
    assert settings.scanning.disabled
    assert not settings.posting.enabled
    assert persistence.finalizer == "operator.butlers.dev/finalizer", (
        "ours would be taken off by the framework"
    )
    assert isinstance(persistence.progress_storage, kopf.AnnotationsProgressStorage)
    assert persistence.progress_storage.prefix == "operator.butlers.dev"
    assert isinstance(persistence.diffbase_storage, kopf.AnnotationsDiffBaseStorage)
    assert persistence.diffbase_storage.prefix == "operator.butlers.dev"


def test_a_place_is_made_of_settings_and_a_file(tmp_path: Path) -> None:
    file = tmp_path / "place.json"
    file.write_text(
        json.dumps({"database_port": 6432, "pod": {"labels": {"team": "home"}}, "image": "ignored"})
    )
    env = {
        **HOME,
        "BUTLERS_PLACE_FILE": str(file),
        "BUTLERS_IMAGE": "i:1",
        "BUTLERS_OPERATOR_NAMESPACE": "ops",
    }
    place = place_for(OperatorSettings.from_env(env), "cabin")
    assert (place.namespace, place.operator_namespace, place.image) == ("cabin", "ops", "i:1")
    assert (place.database_port, place.pod.labels, place.database.name) == (
        6432,
        {"team": "home"},
        "butlers-postgresql",
    )
    file.write_text("[]")
    with pytest.raises(SettingsError, match="JSON object"):
        place_for(OperatorSettings.from_env(env), "cabin")
    file.write_text(json.dumps({"pod": {"hostNetwork": True}}))
    with pytest.raises(SettingsError, match=r"pod\.hostNetwork"):
        place_for(OperatorSettings.from_env(env), "cabin")


def test_the_pods_log_in_the_format_of_the_installation() -> None:
    settings = OperatorSettings.from_env({**HOME, "BUTLERS_SERVICE_LOG_FORMAT": "console"})
    assert (place_for(settings, "home").log_format, settings.log_format) == ("console", "json")


def test_a_namespace_that_is_not_named_was_selected_by_its_label() -> None:
    settings = OperatorSettings.from_env({**HOME, "BUTLERS_WATCH_LABELLED": "true"})
    assert [place_for(settings, name).by_label for name in ("home", "cabin", "house-c")] == [
        False,
        False,
        True,
    ]


def test_the_frameworks_lines_name_the_object_and_nothing_of_its_settings(
    capsys: pytest.CaptureFixture[str],
) -> None:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        configure_operator_logging("info", "json")
        extra = {
            "k8s_ref": {"kind": "Butler", "namespace": "home", "name": "finance"},
            "settings": kopf.OperatorSettings(),
        }
        logging.getLogger("kopf.objects").warning("something", extra=extra)
        logging.getLogger("kopf.objects").info("chatter", extra=extra)
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
    (line,) = capsys.readouterr().err.splitlines()
    told = json.loads(line)
    assert told["key"] == "Butler/home/finance"
    assert "settings" not in told
