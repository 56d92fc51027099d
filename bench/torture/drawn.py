"""Which drawn changes are offered, and the resources that they change (pure).

The models judge a change as the API server does, without asking it: drawn one by one, half to two thirds would be
refused, and tell of the server alone. A few of those are offered all the same: both must say no.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from bench.operator.household import NAMESPACE
from bench.torture.schema import Change, endless
from butler_resources.kinds import BackfillJob, Butler, Connector, ManifestError, ResourceModel
from butler_resources.kinds.objects import parse_object

__all__ = ["HISTORY", "KINDS", "body_of", "drawn", "first_spec", "is_valid", "name_of"]

Body = dict[str, Any]
KINDS: Final[Mapping[str, type[ResourceModel]]] = {
    "Butler": Butler,
    "Connector": Connector,
    "BackfillJob": BackfillJob,
}
"""Kinds whose spec may change; a ButlerOperation's never does."""
HISTORY: Final = "c890"
"""The Connector whose history the BackfillJobs read."""
_LETTERS: Final = {"Butler": "b", "Connector": "c", "BackfillJob": "j"}
_SOURCES: Final = ("webhook", "imap", "telegram_bot")


def name_of(kind: str, number: int) -> str:
    """Return the name of the resource with that number."""
    return f"{_LETTERS[kind]}{900 + number}"


def body_of(kind: str, name: str, spec: Mapping[str, Any]) -> Body:
    metadata = {"name": name, "namespace": NAMESPACE}
    return {"apiVersion": "butlers.dev/v1alpha1", "kind": kind, "metadata": metadata, "spec": dict(spec)}


def first_spec(kind: str, name: str, number: int) -> Body:
    """Return what a resource says before the first change; connectors are of three types in turn."""
    match kind:
        case "Butler":
            return {"role": "specialist", "profile": "general", "replicas": 0}
        case "Connector":
            return _source(name, _SOURCES[number % len(_SOURCES)])
    return {"connectorRef": HISTORY, "dateFrom": "2026-01-01", "dateTo": "2026-01-31"}


def drawn(kind: str, names: Iterable[str], *, number: int) -> Iterator[tuple[str, Change]]:
    """Yield changes without end, for each resource in turn."""
    return zip(itertools.cycle(sorted(names)), endless(f"{kind.lower()}s", number=number), strict=False)


def is_valid(kind: str, name: str, spec: Mapping[str, Any]) -> bool:
    """Return whether the models take the manifest."""
    try:
        parse_object(KINDS[kind], body_of(kind, name, spec))
    except ManifestError:
        return False
    return True


def _source(name: str, type_: str) -> Body:
    reference = {"name": f"{name}-source", "key": "value"}
    blocks: Mapping[str, tuple[str, Body]] = {
        "webhook": ("webhook", {"tokenSecretRef": reference}),
        "imap": (
            "imap",
            {"host": "mail.example.org", "username": name, "passwordSecretRef": reference},
        ),
        "telegram_bot": ("telegramBot", {"tokenSecretRef": reference}),
    }
    block, content = blocks[type_]
    return {"type": type_, "endpointIdentity": f"{type_}:{name}", block: content, "suspend": True}
