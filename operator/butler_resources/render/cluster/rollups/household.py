"""Everything that computes a household's statistics outside of Switchboard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from butler_resources.kinds import Butler
from butler_resources.kinds.names import LABEL_MANAGED_BY, LABEL_NAME, MANAGED_BY
from butler_resources.render.cluster.networkpolicy import spark_rules
from butler_resources.render.cluster.place import Place
from butler_resources.render.cluster.rollups.cronjob import render_cronjob
from butler_resources.render.cluster.rollups.names import ROLLUPS, SCHEDULES, metadata_for, on_spark
from butler_resources.render.cluster.rollups.spark import render_scheduled_application

__all__ = ["render_rollups"]


def render_rollups(
    switchboard: Butler, place: Place, *, owner: Mapping[str, str], spark_operator: bool
) -> tuple[dict[str, Any], ...]:
    """Return the schedules and what their pods need, for the Switchboard `owner`; empty without Spark.

    `spark_operator` says whether the spark-operator's kinds are installed.
    """
    if not on_spark(switchboard):
        return ()
    render = render_scheduled_application if spark_operator else render_cronjob
    return (
        {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": metadata_for(ROLLUPS, place.namespace, owner),
            "automountServiceAccountToken": False,
        },
        {
            "apiVersion": "networking.k8s.io/v1",
            "kind": "NetworkPolicy",
            "metadata": metadata_for(ROLLUPS, place.namespace, owner),
            "spec": {
                "podSelector": {"matchLabels": {LABEL_NAME: ROLLUPS, LABEL_MANAGED_BY: MANAGED_BY}},
                "policyTypes": ["Ingress", "Egress"],
                **spark_rules(switchboard, place),
            },
        },
        *(render(schedule, switchboard, place, owner) for schedule in SCHEDULES),
    )
