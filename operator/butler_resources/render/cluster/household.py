"""The objects that a resource becomes on a cluster: its children, in the order in which they are applied."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from butler_resources.kinds import Butler, Connector
from butler_resources.render.cluster.configmap import SCALE_FILE, render_configmap
from butler_resources.render.cluster.deployment import render_butler_deployment, render_connector_deployment
from butler_resources.render.cluster.exposure import render_httproute, render_ingress
from butler_resources.render.cluster.networkpolicy import render_default_deny, render_networkpolicy
from butler_resources.render.cluster.pdb import render_pdb
from butler_resources.render.cluster.place import Place
from butler_resources.render.cluster.podsettings import settled
from butler_resources.render.cluster.pvc import render_pvc
from butler_resources.render.cluster.service import render_butler_service, render_webhook_service
from butler_resources.render.cluster.serviceaccount import render_serviceaccount

__all__ = ["render_butler", "render_connector", "render_namespace"]

Manifest = dict[str, Any]


def render_butler(
    butler: Butler, place: Place, *, owner: Mapping[str, str], inputs: Mapping[str, str]
) -> tuple[Manifest, ...]:
    """Return the children of `butler`, the Deployment last.

    `owner` has apiVersion, kind, name and uid. `inputs` has a hash by name of everything that the pods read
    at their start and that is not rendered here (`references`); when one changes, the pods are replaced.
    """
    place = settled(butler, place)
    config = render_configmap(butler, place, owner)
    settings = {file: text for file, text in config["data"].items() if file != SCALE_FILE}
    deployment = render_butler_deployment(butler, place, owner=owner, inputs=inputs, config=settings)
    return _present(
        render_serviceaccount(butler, place, owner),
        config,
        render_networkpolicy(butler, place, owner),
        render_butler_service(butler, place, owner),
        render_pdb(butler, place, owner),
        deployment,
    )


def render_connector(
    connector: Connector, place: Place, *, owner: Mapping[str, str], inputs: Mapping[str, str]
) -> tuple[Manifest, ...]:
    """Return the children of `connector`, the Deployment last; arguments as for `render_butler`."""
    place = settled(connector, place)
    webhook = connector.spec.webhook is not None
    return _present(
        render_serviceaccount(connector, place, owner),
        render_networkpolicy(connector, place, owner),
        render_webhook_service(connector, place, owner) if webhook else None,
        render_ingress(connector, place, owner),
        render_httproute(connector, place, owner),
        render_pvc(connector, place, owner),
        render_pdb(connector, place, owner),
        render_connector_deployment(connector, place, owner=owner, inputs=inputs),
    )


def render_namespace(place: Place) -> tuple[Manifest, ...]:
    """Return what the household's namespace has once, whatever resources are in it; it has no owner."""
    return (render_default_deny(place),)


def _present(*manifests: Manifest | None) -> tuple[Manifest, ...]:
    return tuple(manifest for manifest in manifests if manifest is not None)
