"""The models judge the table of manifests as the API server does, and where a rule speaks, in the same words.

The server's side of the same table is `tests/e2e/manifests`.
"""

from __future__ import annotations

import pytest

from butler_resources.crds import DEFINITIONS
from butler_resources.kinds import ManifestError, ResourceModel, parse_object
from butler_resources.kinds.backfill import BackfillJob, BackfillJobSpec
from butler_resources.kinds.base import EnvFromSecret
from butler_resources.kinds.butler import Butler, ButlerSpec, Runtime
from butler_resources.kinds.connector import Connector, ConnectorSpec
from butler_resources.kinds.database import ButlerDatabase
from butler_resources.kinds.disruption import DisruptionBudget
from butler_resources.kinds.extra_volumes import ExtraVolume, ProjectedSource, VolumeMount
from butler_resources.kinds.modules import EmailBot
from butler_resources.kinds.operation import ButlerOperation, ButlerOperationSpec, Target
from butler_resources.kinds.pod import ButlerPod, ResourceNeeds
from butler_resources.kinds.routing import RoutingRule
from butler_resources.kinds.schedules import Schedule
from butler_resources.kinds.scheduling import Spread, Toleration
from tests.e2e.manifests.table import CASES, Case

WITH_RULES: tuple[type[ResourceModel], ...] = (
    Butler, ButlerSpec, ButlerDatabase, Runtime, RoutingRule, Schedule, EnvFromSecret, EmailBot, Connector,
    ConnectorSpec, BackfillJob, BackfillJobSpec, ButlerOperation, ButlerOperationSpec, Target, ButlerPod,
    DisruptionBudget, ResourceNeeds, Toleration, Spread, ExtraVolume, ProjectedSource, VolumeMount,
)  # fmt: skip
MESSAGES = [rule.message for model in WITH_RULES for rule in model.RULES]
JUDGED = [case for case in CASES if case.judge != "server"]


def verdict(case: Case) -> str:
    """What the model says to the last manifest of the case; empty when it accepts."""
    spec = case.spec if case.then is None else case.then
    try:
        parse_object(DEFINITIONS[case.names.kind].model, case.manifest(case.name, spec))
    except ManifestError as refused:
        return str(refused)
    return ""


@pytest.mark.parametrize("case", JUDGED, ids=str)
def test_models_and_server_agree(case: Case) -> None:
    said = verdict(case)
    assert bool(said) is (case.refused is not None), said
    by_rule = case.refused is not None and any(case.refused in message for message in MESSAGES)
    assert not by_rule or str(case.refused) in said
    assert case.judge == "both" or str(case.refused) in said


def test_every_rule_is_tried_by_a_manifest_that_breaks_it() -> None:
    refusals = [case.refused for case in CASES if case.refused is not None]
    assert [message for message in MESSAGES if not any(words in message for words in refusals)] == []


def test_the_table_is_large_and_tries_both_sides() -> None:
    accepted = [case for case in CASES if case.refused is None]
    assert len(CASES) >= 60
    assert len(accepted) >= 25
    assert len({str(case) for case in CASES}) == len(CASES)
