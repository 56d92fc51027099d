"""Kubernetes Events (events.k8s.io/v1) about our resources, on transitions only; losing one is no error."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from butler_kit.telemetry import get_logger
from butler_kit.time import Clock
from butler_operator.cluster.client import FIELD_MANAGER, Cluster
from butler_operator.cluster.errors import ClusterError, ClusterRefused
from butler_operator.reconcile.notices import Notice

__all__ = ["EventRecorder", "event_of"]

_log = get_logger(__name__)
NOTE_MAX_BYTES: Final = 1_024
"""The API refuses an event whose note is longer."""
INSTANCE_MAX: Final = 128


class EventRecorder:
    """Writes notices about a resource, each as an event of its own."""

    def __init__(self, cluster: Cluster, *, clock: Clock, instance: str | None = None) -> None:
        self._cluster = cluster
        self._clock = clock
        self._instance = (instance or os.environ.get("HOSTNAME") or "butlers-operator")[:INSTANCE_MAX]

    async def record(self, regarding: Mapping[str, Any], *notices: Notice) -> None:
        """Write `notices`; a refused or lost one is only logged."""
        for notice in notices:
            body = event_of(regarding, notice, now=self._clock.now(), instance=self._instance)
            try:
                await self._cluster.create(body)
            except ClusterError as error:
                if isinstance(error, ClusterRefused) and error.namespace_ending:
                    return
                _log.warning("event_not_written", reason=notice.reason, problem=error.message)


def event_of(regarding: Mapping[str, Any], notice: Notice, *, now: datetime, instance: str) -> dict[str, Any]:
    """Return the Event document for a notice."""
    metadata = regarding["metadata"]
    said = f"{metadata.get('uid')}|{notice.reason}|{notice.note}|{now.isoformat()}"
    suffix = hashlib.sha256(said.encode()).hexdigest()[:12]
    return {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": f"{metadata['name']}.{suffix}", "namespace": metadata["namespace"]},
        "eventTime": now.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "reportingController": f"butlers.dev/{FIELD_MANAGER}",
        "reportingInstance": instance,
        "type": notice.type,
        "reason": notice.reason,
        "action": notice.action,
        "note": _cut(notice.note),
        "regarding": {
            "apiVersion": regarding["apiVersion"],
            "kind": regarding["kind"],
            "name": metadata["name"],
            "namespace": metadata["namespace"],
            "uid": metadata.get("uid", ""),
            "resourceVersion": str(metadata.get("resourceVersion", "")),
        },
    }


def _cut(note: str) -> str:
    """As much of `note` as an event takes, without half a character at its end."""
    return note.encode()[:NOTE_MAX_BYTES].decode(errors="ignore")
