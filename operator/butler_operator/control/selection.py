"""The namespaces to serve: those that are named, and those that carry the label, queried each beat."""

from __future__ import annotations

from typing import Final

from butler_kit.telemetry import get_logger
from butler_operator.cluster.client import Cluster
from butler_operator.cluster.errors import ClusterError
from butler_operator.settings import OperatorSettings
from butler_resources.kinds.names import WATCH_LABEL

__all__ = ["Selection"]

_log = get_logger(__name__)
SELECTOR: Final = f"{WATCH_LABEL}=true"
PAGE: Final = 500


class Selection:
    """`wanted` queries anew each time; while the API server does not answer, its last answer holds."""

    def __init__(self, cluster: Cluster, settings: OperatorSettings) -> None:
        self._cluster = cluster
        self._named = frozenset(settings.namespaces)
        self._by_label = settings.watch_labelled
        self._labelled: frozenset[str] = frozenset()
        self._problem = ""

    async def wanted(self) -> frozenset[str]:
        """Return the names, unordered."""
        if self._by_label:
            try:
                self._labelled = await self._ask()
                self._problem = ""
            except ClusterError as error:
                if error.message != self._problem:
                    _log.warning("namespaces_not_listed", selector=SELECTOR, problem=error.message)
                self._problem = error.message
        return self._named | self._labelled

    async def _ask(self) -> frozenset[str]:
        names: set[str] = set()
        query: dict[str, str | int] = {"labelSelector": SELECTOR, "limit": PAGE}
        while True:
            page = await self._cluster.request("GET", "/api/v1/namespaces", query=query)
            names |= {item["metadata"]["name"] for item in page.get("items") or ()}
            more = (page.get("metadata") or {}).get("continue")
            if not more:
                return frozenset(names)
            query["continue"] = more
