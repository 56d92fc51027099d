"""Pure renderers of the cluster's objects: a custom resource in, Kubernetes manifests out, one file per kind."""

from butler_resources.render.cluster.flows import FLOWS, Flow, Party
from butler_resources.render.cluster.household import render_butler, render_connector, render_namespace
from butler_resources.render.cluster.names import (
    CONFIG_HASH,
    READER,
    SIGNING_SECRET,
    TOKEN_AUDIENCE,
    TRUST_CONFIGMAP,
    child_name,
    labels_of,
    selector_of,
    service_url,
    subject_of,
    switchboard_url,
)
from butler_resources.render.cluster.place import Departure, Place, SparkPlace
from butler_resources.render.cluster.pvc import WRITTEN_ONCE
from butler_resources.render.cluster.references import Named, dispensable, named, references
from butler_resources.render.cluster.serviceaccount import render_reader

__all__ = [
    "CONFIG_HASH",
    "FLOWS",
    "READER",
    "SIGNING_SECRET",
    "TOKEN_AUDIENCE",
    "TRUST_CONFIGMAP",
    "WRITTEN_ONCE",
    "Departure",
    "Flow",
    "Named",
    "Party",
    "Place",
    "SparkPlace",
    "child_name",
    "dispensable",
    "labels_of",
    "named",
    "references",
    "render_butler",
    "render_connector",
    "render_namespace",
    "render_reader",
    "selector_of",
    "service_url",
    "subject_of",
    "switchboard_url",
]
