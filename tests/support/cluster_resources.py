"""Objects for tests of the operator: a household's custom resources and secrets, pods as a kubelet reports them."""

from __future__ import annotations

import base64
from typing import Any

Body = dict[str, Any]
API = "butlers.dev/v1alpha1"


def switchboard(**spec: Any) -> Body:
    return _resource("Butler", "switchboard", {"role": "switchboard", **spec})


def butler(name: str = "finance", profile: str = "finance", **spec: Any) -> Body:
    return _resource("Butler", name, {"role": "specialist", "profile": profile, **spec})


def messenger(contacts: str, key: str) -> Body:
    return _resource(
        "Butler",
        "messenger",
        {"role": "messenger", "contactsFrom": {"secretRef": {"name": contacts, "key": key}}},
    )


def api_connector(name: str = "api", endpoint: str = "api:home", **spec: Any) -> Body:
    block = {"webhook": {"tokenSecretRef": {"name": "webhook", "key": "token"}}}
    return _resource("Connector", name, {"type": "webhook", "endpointIdentity": endpoint, **block, **spec})


def _resource(kind: str, name: str, spec: Body) -> Body:
    return {"apiVersion": API, "kind": kind, "metadata": {"name": name}, "spec": spec}


def secret(name: str, **values: str) -> Body:
    """A Secret that the household may use."""
    labels = {"butlers.dev/usable-by": "household"}
    return {**unshared(name, **values), "metadata": {"name": name, "labels": labels}}


def unshared(name: str, **values: str) -> Body:
    """A Secret of somebody else in the namespace, or from before there was a label."""
    data = {key: base64.b64encode(value.encode()).decode() for key, value in values.items()}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "labels": {}}, "data": data}


def database_secret() -> Body:
    return unshared("butlers-postgresql", uri="postgresql://admin@db/butlers")


def pod(kind: str, name: str, *, ready: bool = True, **status: Any) -> Body:
    """A pod of a resource's Deployment."""
    labels = {
        "app.kubernetes.io/managed-by": "butlers-operator",
        "butlers.dev/kind": kind,
        "butlers.dev/name": name,
    }
    conditions = [{"type": "Ready", "status": "True" if ready else "False"}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"{kind.lower()}-{name}-1", "labels": labels},
        "spec": {},
        "status": {"phase": "Running", "conditions": conditions, "containerStatuses": [], **status},
    }


def rolled_out(deployment: Body) -> None:
    """What the Deployment controller writes when every pod is there."""
    replicas = deployment["spec"]["replicas"]
    deployment["status"] = {
        "observedGeneration": deployment["metadata"]["generation"],
        "replicas": replicas,
        "updatedReplicas": replicas,
        "readyReplicas": replicas,
        "availableReplicas": replicas,
    }
