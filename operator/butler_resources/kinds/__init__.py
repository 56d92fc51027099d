"""Models of the custom resources, their secrets, and the loader of manifest directories."""

from butler_resources.kinds.base import API_VERSION, SecretRef, TlsMode
from butler_resources.kinds.butler import Butler, ButlerSpec, database_secret
from butler_resources.kinds.connector import Connector, ConnectorSpec
from butler_resources.kinds.contacts import Contact, Contacts, Identifier
from butler_resources.kinds.manifests import Manifests, load_manifests, parse_contacts, parse_manifests
from butler_resources.kinds.problems import ManifestError, Problem, did_you_mean
from butler_resources.kinds.secret import Secret

__all__ = [
    "API_VERSION",
    "Butler",
    "ButlerSpec",
    "Connector",
    "ConnectorSpec",
    "Contact",
    "Contacts",
    "Identifier",
    "ManifestError",
    "Manifests",
    "Problem",
    "Secret",
    "SecretRef",
    "TlsMode",
    "database_secret",
    "did_you_mean",
    "load_manifests",
    "parse_contacts",
    "parse_manifests",
]
