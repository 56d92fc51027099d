"""Statistics on Spark: the objects as committed, as the spark-operator's own models read them, and its traps.

After a wanted change: `python -m tests.golden.cluster.test_rendered_rollups` writes the files anew; read the diff.
"""

import re
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from butler_resources.kinds import Butler, parse_manifests
from butler_resources.render.cluster import Place, SparkPlace
from butler_resources.render.cluster.rollups import (
    EXECUTORS_FROM_HOURS,
    SCHEDULES,
    backfill_run_name,
    render_backfill_run,
    render_rollups,
)
from tests.golden.cluster.test_rendered_objects import PARTICULAR, PLAIN, as_text, owner_of
from tests.support.kubernetes_schemas import check_object

EXPECTED = Path(__file__).parent / "expected" / "rollups"
ROOT = Path(__file__).parents[3]
MANIFEST = """
apiVersion: butlers.dev/v1alpha1
kind: Butler
metadata: {name: switchboard}
spec: {role: switchboard, rollups: {engine: %s}, suspend: %s}
"""
JOB = {"apiVersion": "butlers.dev/v1alpha1", "kind": "BackfillJob", "name": "october"}
JOB["uid"] = "1f0c5a52-8f13-4b55-9a0e-3d0f6f4f0c11"
WITH_EXECUTORS = replace(PLAIN, spark=SparkPlace(executor_account="spark-operator-spark", executors=2))
ELSEWHERE = replace(PARTICULAR, spark=SparkPlace(image="registry.example.org/spark:1", run_as=None))
MODELS = {
    "ScheduledSparkApplication": "SparkV1beta2ScheduledSparkApplication",
    "SparkApplication": "SparkV1beta2SparkApplication",
}
"""In the spark-operator's own package, which only the test that needs it imports."""
Manifest = dict[str, Any]


def switchboard(engine: str = "spark", *, suspend: bool = False) -> Butler:
    (butler,) = parse_manifests({"switchboard": MANIFEST % (engine, str(suspend).lower())}).butlers
    return butler


def rollups(place: Place = PLAIN, *, operator: bool, butler: Butler | None = None) -> tuple[Manifest, ...]:
    found = butler or switchboard()
    return render_rollups(found, place, owner=owner_of(found), spark_operator=operator)


def backfill(hours: int, place: Place) -> Manifest:
    return render_backfill_run("0198c7d2-77aa-7000-8000-000000000001", hours, switchboard(), place, owner=JOB)


def rendered() -> dict[str, tuple[Manifest, ...]]:
    return {
        "spark-operator.yaml": rollups(operator=True),
        "cronjobs.yaml": rollups(operator=False),
        "elsewhere.yaml": rollups(ELSEWHERE, operator=True),
        "backfill.yaml": (backfill(3, WITH_EXECUTORS),),
        "large-backfill.yaml": (backfill(EXECUTORS_FROM_HOURS, WITH_EXECUTORS),),
        "with-executors.yaml": rollups(WITH_EXECUTORS, operator=True)[:2],
    }


EVERYTHING = [manifest for objects in rendered().values() for manifest in objects]
APPLICATIONS = [manifest for manifest in EVERYTHING if manifest["kind"] in MODELS]
SCHEDULED = [one for one in APPLICATIONS if one["kind"] == "ScheduledSparkApplication"]


def spec_of(manifest: Manifest) -> Manifest:
    spec: Manifest = manifest["spec"]
    template: Manifest = spec.get("template", spec)
    return template


def pods() -> list[Manifest]:
    """Every pod template that anything here leads to."""
    cron = [m["spec"]["jobTemplate"]["spec"]["template"] for m in EVERYTHING if m["kind"] == "CronJob"]
    sides = [spec_of(manifest)[side] for manifest in APPLICATIONS for side in ("driver", "executor")]
    return [*cron, *(side["template"] for side in sides if side)]


def test_each_household_renders_to_the_committed_files() -> None:
    expected = {path.name: path.read_text() for path in EXPECTED.glob("*.yaml")}
    assert {name: as_text(objects) for name, objects in rendered().items()} == expected


def test_nothing_is_rendered_while_switchboard_computes_them_itself() -> None:
    assert rollups(operator=True, butler=switchboard("sql")) == ()


@pytest.mark.parametrize("manifest", APPLICATIONS, ids=lambda one: one["metadata"]["name"])
def test_the_spark_operator_s_models_know_every_field(manifest: Manifest) -> None:
    """A field that they do not know disappears: it is misspelt, and the API server would drop it without a word."""
    models = import_module("kubeflow_spark_api.models")
    again = getattr(models, MODELS[manifest["kind"]]).from_dict(manifest).to_dict()
    # A required object that is empty stays required.
    assert again == manifest


@pytest.mark.parametrize("manifest", APPLICATIONS, ids=lambda one: one["metadata"]["name"])
def test_what_the_spark_operator_requires_is_there(manifest: Manifest) -> None:
    spec = spec_of(manifest)
    assert {"driver", "executor", "mainApplicationFile", "sparkVersion", "type"} <= spec.keys()
    assert (spec["type"], spec["mode"], spec["restartPolicy"]["type"]) == ("Python", "cluster", "OnFailure")
    assert spec["timeToLiveSeconds"] > 0
    assert spec["driver"]["cores"] >= 1
    # Its webhook refuses them there: fields of the kind say the same.
    assert (
        not {"spark.master", "spark.kubernetes.driver.master", "spark.kubernetes.namespace"}
        & spec["sparkConf"].keys()
    )


@pytest.mark.parametrize("manifest", SCHEDULED, ids=lambda one: one["metadata"]["name"])
def test_a_schedule_forbids_a_second_run_in_utc_and_has_a_short_name(manifest: Manifest) -> None:
    spec = manifest["spec"]
    assert (spec["concurrencyPolicy"], spec["timeZone"]) == ("Forbid", "Etc/UTC")
    assert (spec["successfulRunHistoryLimit"], spec["failedRunHistoryLimit"]) == (3, 3)
    assert len(manifest["metadata"]["name"]) <= 36


def test_a_driver_alone_has_no_token_and_a_distributed_one_names_who_may_make_executors() -> None:
    small, large = backfill(3, WITH_EXECUTORS), backfill(EXECUTORS_FROM_HOURS, WITH_EXECUTORS)
    alone, distributed = small["spec"]["driver"], large["spec"]["driver"]
    assert (alone["kubernetesMaster"], alone["serviceAccount"]) == ("local[*]", "rollups")
    assert alone["template"]["spec"]["automountServiceAccountToken"] is False
    assert "kubernetesMaster" not in distributed
    assert distributed["serviceAccount"] == distributed["template"]["spec"]["serviceAccountName"]
    assert distributed["template"]["spec"]["automountServiceAccountToken"] is True
    assert large["spec"]["executor"]["instances"] == 2
    assert backfill(EXECUTORS_FROM_HOURS, PLAIN)["spec"]["driver"]["kubernetesMaster"] == "local[*]"


def test_the_run_of_a_backfill_is_always_the_same_one() -> None:
    assert (
        backfill(3, PLAIN)["metadata"]["name"]
        == backfill_run_name(JOB["uid"])
        == "rollups-backfill-1f0c5a528f13"
    )


@pytest.mark.parametrize(
    "manifest", [m for m in EVERYTHING if m["kind"] not in MODELS], ids=lambda m: m["kind"]
)
def test_every_other_object_is_one_that_kubernetes_knows(manifest: Manifest) -> None:
    check_object(manifest)


def test_every_pod_passes_the_restricted_profile_and_only_its_init_step_sees_the_administrator() -> None:
    for template in pods():
        spec = template["spec"]
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": _with_images(spec)}
        check_object(pod)
        assert spec["securityContext"]["runAsNonRoot"] is True
        for container in (*spec.get("initContainers", ()), *spec["containers"]):
            allowed = container["securityContext"]
            assert (allowed["allowPrivilegeEscalation"], allowed["readOnlyRootFilesystem"]) == (False, True)
            assert allowed["capabilities"] == {"drop": ["ALL"]}
        (process,) = spec["containers"]
        assert "database-admin" not in str(process)


def _with_images(spec: Manifest) -> Manifest:
    """Spark fills in the image of its own container."""
    return {**spec, "containers": [{"image": "spark", **container} for container in spec["containers"]]}


def test_a_suspended_switchboard_suspends_its_schedules() -> None:
    asleep = switchboard(suspend=True)
    for operator in (True, False):
        schedules = rollups(operator=operator, butler=asleep)[2:]
        assert [one["spec"]["suspend"] for one in schedules] == [True] * len(SCHEDULES)


def test_a_program_of_each_job_is_in_the_image() -> None:
    named = set(re.findall(r"/opt/butlers/(spark-apps/apps/\w+\.py)", yaml.safe_dump(EVERYTHING)))
    assert len(named) == len(SCHEDULES) + 1
    assert [path for path in named if not (ROOT / path).is_file()] == []


def write() -> None:
    """Write all committed files anew."""
    EXPECTED.mkdir(parents=True, exist_ok=True)
    for name, objects in rendered().items():
        (EXPECTED / name).write_text(as_text(objects))


if __name__ == "__main__":
    write()
