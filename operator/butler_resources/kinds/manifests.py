"""Loads a directory of manifests, or says everything that is wrong with it at once.

Invariant: a `Manifests` value is consistent: names are unique per kind and every document was understood to
its last key. What concerns the household as a whole (roles, references, ports) is checked in `render.checks`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import BaseModel, ValidationError

from butler_contracts.person_settings import with_owner
from butler_resources.kinds.backfill import BackfillJob
from butler_resources.kinds.base import SecretRef
from butler_resources.kinds.butler import Butler
from butler_resources.kinds.ca_bundle import CaBundleRef
from butler_resources.kinds.configmap import ConfigMap
from butler_resources.kinds.connector import Connector
from butler_resources.kinds.contacts import Contacts
from butler_resources.kinds.household import Household
from butler_resources.kinds.instructions import ConfigMapKeyRef
from butler_resources.kinds.names import API_VERSION
from butler_resources.kinds.objects import without_nulls
from butler_resources.kinds.problems import ManifestError, Problem, did_you_mean, problems_of
from butler_resources.kinds.secret import Secret

__all__ = ["Manifests", "load_manifests", "parse_contacts", "parse_manifests"]

MAX_FILE_BYTES: Final = 1_000_000
MODELS: Final[Mapping[tuple[str, str], type[BaseModel]]] = {
    (API_VERSION, "Butler"): Butler,
    (API_VERSION, "Connector"): Connector,
    (API_VERSION, "BackfillJob"): BackfillJob,
    ("v1", "Secret"): Secret,
    ("v1", "ConfigMap"): ConfigMap,
}
CLUSTER_ONLY: Final = frozenset(
    {
        ("apps/v1", "Deployment"),
        ("v1", "Service"),
        ("networking.k8s.io/v1", "NetworkPolicy"),
    }
)
"""What may stand beside a household for a cluster alone (the demo's test providers); passed over here."""


class _Loader(yaml.SafeLoader):
    """YAML as Kubernetes reads it: a date stays text; a key given twice is an error."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, regexp) for tag, regexp in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _unique_mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    seen: set[str] = set()
    for key, _ in node.value:
        if key.value in seen:
            raise yaml.constructor.ConstructorError(
                None, None, f"the key {key.value} is given twice", key.start_mark
            )
        seen.add(str(key.value))
    return yaml.SafeLoader.construct_mapping(loader, node, deep=True)


_Loader.add_constructor("tag:yaml.org,2002:map", _unique_mapping)


@dataclass(frozen=True)
class Manifests:
    """Everything that a directory of manifests says, in the order of files and documents."""

    butlers: tuple[Butler, ...] = ()
    connectors: tuple[Connector, ...] = ()
    backfills: tuple[BackfillJob, ...] = ()
    secrets: tuple[Secret, ...] = ()
    configmaps: tuple[ConfigMap, ...] = ()

    def butler(self, name: str) -> Butler | None:
        """The butler of that name."""
        return next((butler for butler in self.butlers if butler.name == name), None)

    @property
    def processes(self) -> tuple[Butler | Connector, ...]:
        """Everything that becomes a process of its own."""
        return (*self.butlers, *self.connectors)

    def with_role(self, role: str) -> tuple[Butler, ...]:
        """The butlers of one role."""
        return tuple(butler for butler in self.butlers if butler.spec.role == role)

    @property
    def household(self) -> Household:
        """What the Switchboard says for all of them."""
        said = (switchboard.spec.household for switchboard in self.with_role("switchboard"))
        return next((household for household in said if household is not None), Household())

    def secret_value(self, ref: SecretRef) -> str | None:
        """The value that a Secret among the manifests has for `ref`."""
        values = (secret.value(ref) for secret in self.secrets)
        return next((value for value in values if value is not None), None)

    def bundle_text(self, ref: CaBundleRef) -> str | None:
        """The authorities that a ConfigMap among the manifests has for `ref`."""
        return next((one.data.get(ref.key) for one in self.configmaps if one.name == ref.config_map), None)

    def text_of(self, ref: ConfigMapKeyRef) -> str | None:
        """The text that a ConfigMap among the manifests has for `ref`."""
        return next((one.data.get(ref.key) for one in self.configmaps if one.name == ref.name), None)


def _is_read(path: Path) -> bool:
    """A file; and a link that leads nowhere, to be told of. Hidden ones are locks of editors, `.#butlers.yaml`."""
    lost = path.is_symlink() and not path.exists() and not path.name.startswith(".")
    return path.suffix in {".yaml", ".yml"} and (path.is_file() or lost)


def load_manifests(directory: Path) -> Manifests:
    """Read `*.yaml` and `*.yml` of one directory (not of folders inside it). Raises `ManifestError`."""
    if not directory.is_dir():
        said = "is a file" if directory.exists() else "no such directory"
        raise ManifestError([Problem(str(directory), "", f"{said}; give a directory of manifests")])
    files = sorted(path for path in directory.iterdir() if _is_read(path))
    texts: dict[str, str] = {}
    problems: list[Problem] = []
    for path in files:
        try:
            if path.stat().st_size > MAX_FILE_BYTES:
                raise ValueError(f"is larger than {MAX_FILE_BYTES} bytes")
            texts[str(path)] = path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            line = error.object[: error.start].count(b"\n") + 1
            problems.append(Problem(str(path), "", f"line {line}: not UTF-8; save the file in that encoding"))
        except OSError as error:
            problems.append(Problem(str(path), "", f"cannot be read: {error.strerror or error}"))
        except ValueError as error:
            problems.append(Problem(str(path), "", f"cannot be read: {error}"))
    if problems:
        raise ManifestError(problems)
    if not texts:
        raise ManifestError(
            [Problem(str(directory), "", "has no *.yaml file; give a directory of manifests")]
        )
    return parse_manifests(texts)


def parse_manifests(texts: Mapping[str, str]) -> Manifests:
    """The manifests in `texts` (file name → content). Raises `ManifestError` with every problem found."""
    problems: list[Problem] = []
    resources: dict[tuple[str, str], BaseModel] = {}
    places: dict[tuple[str, str], str] = {}
    for file, text in texts.items():
        for where, document in _documents(file, text, problems):
            resource = _parse_one(where, document, problems)
            if resource is None:
                continue
            key = (resource.kind, resource.name)
            if key in resources:
                first = places[key]
                problems.append(Problem(where, "metadata.name", f"{key[0]} {key[1]} is already in {first}"))
            resources.setdefault(key, resource)
            places.setdefault(key, where)
    if problems:
        raise ManifestError(problems)
    return Manifests(
        butlers=tuple(found for found in resources.values() if isinstance(found, Butler)),
        connectors=tuple(found for found in resources.values() if isinstance(found, Connector)),
        backfills=tuple(found for found in resources.values() if isinstance(found, BackfillJob)),
        secrets=tuple(found for found in resources.values() if isinstance(found, Secret)),
        configmaps=tuple(found for found in resources.values() if isinstance(found, ConfigMap)),
    )


def parse_contacts(text: str, *, where: str) -> Contacts:
    """The contacts in a secret's document. Raises `ManifestError` that names `where`."""
    try:
        document = yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader
        return Contacts.model_validate_json(json.dumps(with_owner(document)))
    except yaml.YAMLError as error:
        raise ManifestError([Problem(where, "", _yaml_text(error))]) from error
    except ValidationError as error:
        raise ManifestError(problems_of(error, model=Contacts, where=where)) from error
    except (TypeError, ValueError, RecursionError) as error:
        raise ManifestError([Problem(where, "", "is not a plain YAML document")]) from error


def _documents(file: str, text: str, problems: list[Problem]) -> Iterator[tuple[str, Any]]:
    try:
        documents = list(yaml.load_all(text, Loader=_Loader))
    except yaml.YAMLError as error:
        problems.append(Problem(file, "", _yaml_text(error)))
        return
    except RecursionError:
        problems.append(Problem(file, "", "is nested too deeply"))
        return
    several = sum(document is not None for document in documents) > 1
    for number, document in enumerate(documents, start=1):
        if document is not None:
            yield (f"{file}: document {number}" if several else file), document


def _yaml_text(error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        return f"line {mark.line + 1}, column {mark.column + 1}: not YAML: {error.problem}"
    return "not YAML: " + " ".join(str(error).split())


def _parse_one(
    where: str, document: Any, problems: list[Problem]
) -> Butler | Connector | BackfillJob | Secret | ConfigMap | None:
    if not isinstance(document, dict):
        problems.append(Problem(where, "", "expected apiVersion, kind, metadata and spec"))
        return None
    if (str(document.get("apiVersion")), str(document.get("kind"))) in CLUSTER_ONLY:
        return None
    model = _model_of(where, document, problems)
    if model is None:
        return None
    labelled = f"{where}: {document['kind']}{_name_of(document)}"
    try:
        resource = model.model_validate_json(json.dumps(without_nulls(document)))
    except ValidationError as error:
        problems.extend(problems_of(error, model=model, where=labelled))
        return None
    except (TypeError, ValueError, RecursionError):
        problems.append(Problem(labelled, "", "has a value that JSON cannot hold; quote it"))
        return None
    known = Butler | Connector | BackfillJob | Secret | ConfigMap
    return resource if isinstance(resource, known) else None


def _model_of(where: str, document: dict[Any, Any], problems: list[Problem]) -> type[BaseModel] | None:
    api_version, kind = document.get("apiVersion"), document.get("kind")
    if (str(api_version), str(kind)) in MODELS:
        return MODELS[str(api_version), str(kind)]
    kinds = {known: version for version, known in MODELS}
    if not kind:
        problems.append(Problem(where, "kind", f"is missing; expected one of: {', '.join(sorted(kinds))}"))
    elif str(kind) not in kinds:
        problems.append(Problem(where, "kind", f"unknown kind {kind}; {did_you_mean(str(kind), kinds)}"))
    else:
        problems.append(Problem(where, "apiVersion", f"kind {kind} needs apiVersion {kinds[str(kind)]}"))
    return None


def _name_of(document: dict[Any, Any]) -> str:
    metadata = document.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return f" {name}" if isinstance(name, str) else ""
