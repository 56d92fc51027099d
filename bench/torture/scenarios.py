"""Scenarios for a resource while the operator is killed: its state before, and a change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bench.operator.household import IMAGES
from butler_resources.kinds.names import RELOAD_LABEL, USABLE_BY_LABEL, USABLE_BY_US

__all__ = ["SCENARIOS", "Scenario", "secret_of"]

Body = dict[str, Any]
Spec = Callable[[str], Body]


@dataclass(frozen=True)
class Scenario:
    """`before` and `after` give the spec for a name; None: there is no resource."""

    name: str
    kind: str
    before: Spec | None
    after: Spec | None
    secret: bool = False
    """Whether the value of its Secret changes too."""


def _butler(name: str, **more: Any) -> Body:
    return {"role": "specialist", "profile": "general", "replicas": 0, **more}


def _webhook(name: str, **webhook: Any) -> Body:
    reference = {"name": f"{name}-source", "key": "value"}
    block = {"tokenSecretRef": reference, **webhook}
    return {"type": "webhook", "endpointIdentity": f"webhook:{name}", "webhook": block, "suspend": True}


_INGRESS: Final = {"ingress": {"host": "home.example.org"}}
SCENARIOS: Final[tuple[Scenario, ...]] = (
    Scenario("create a butler", "Butler", None, _butler),
    Scenario("create a connector", "Connector", None, _webhook),
    Scenario("change of the spec", "Butler", _butler, lambda name: _butler(name, profile="travel")),
    Scenario(
        "change of the image",
        "Butler",
        _butler,
        lambda name: _butler(name, pod={"image": f"{IMAGES}butlers:2"}),
    ),
    Scenario("scale", "Butler", _butler, lambda name: _butler(name, replicas=2)),
    Scenario(
        "suspend", "Butler", lambda name: _butler(name, replicas=1), lambda name: _butler(name, suspend=True)
    ),
    Scenario("change of a Secret", "Connector", _webhook, _webhook, secret=True),
    Scenario("a child more", "Connector", _webhook, lambda name: _webhook(name, **_INGRESS)),
    Scenario("a child less", "Connector", lambda name: _webhook(name, **_INGRESS), _webhook),
    Scenario("delete", "Butler", _butler, None),
)


def secret_of(name: str, namespace: str, value: str) -> Body:
    """Return the Secret of a connector, labelled for the operator to watch."""
    labels = {USABLE_BY_LABEL: USABLE_BY_US, RELOAD_LABEL: "true"}
    metadata: Mapping[str, Any] = {"name": f"{name}-source", "namespace": namespace, "labels": labels}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": dict(metadata), "stringData": {"value": value}}
