"""Collect what this person may see of a household and its operator; Secrets' values are never asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from butler_kubectl.findings import Evidence
from butler_kubectl.kubectl import Kubectl, KubectlError
from butler_kubectl.refused import Role

__all__ = ["gather"]

T = TypeVar("T")
RESOURCES: Final = "butlers.butlers.dev,connectors.butlers.dev,backfilljobs.butlers.dev"
OPERATOR: Final = "--selector=app.kubernetes.io/name=butlers-operator"
KEYS: Final = "--output=go-template={{range $key, $value := .data}}{{$key}} {{end}}"
"""The names of a Secret's keys; their values stay in the cluster's answer to kubectl."""


def gather(kubectl: Kubectl) -> Evidence:
    """Collect everything. Raises `UserError` if not even the resources can be seen."""
    resources = kubectl.items(RESOURCES, role=Role.VIEW)
    unseen: dict[str, str] = {}

    def look(what: str, at: Callable[[], T], otherwise: T) -> T:
        try:
            return at()
        except KubectlError as error:
            unseen[what] = error.message
            return otherwise

    return Evidence(
        resources=resources,
        operators=look("operator", lambda: _operators(kubectl), []),
        pods=look("pods", lambda: kubectl.items("pods"), []),
        events=look("events", lambda: kubectl.items("events", "--field-selector=type=Warning"), []),
        trust=look("configmap/butlers-trust", lambda: _one(kubectl, "configmap", "butlers-trust"), None),
        signing_keys=look("secret/switchboard-signing", lambda: _keys(kubectl, "switchboard-signing"), None),
        unseen=unseen,
    )


def _operators(kubectl: Kubectl) -> list[dict[str, Any]]:
    """Return the operators of all namespaces, or of the household's own if only that may be seen."""
    try:
        return kubectl.items("deployments.apps", "--all-namespaces", OPERATOR)
    except KubectlError:
        found = kubectl.items("deployments.apps", OPERATOR)
        if not found:
            raise
        return found


def _one(kubectl: Kubectl, kind: str, name: str) -> Mapping[str, Any] | None:
    return kubectl.json("get", kind, name, "--ignore-not-found") or None


def _keys(kubectl: Kubectl, name: str) -> frozenset[str] | None:
    if not kubectl.run("get", "secret", name, "--ignore-not-found", "--output=name").strip():
        return None
    return frozenset(kubectl.run("get", "secret", name, KEYS).split())
