"""The ConfigMap `butlers-trust` of a household: key set, static subjects, deny list (D2, D3, CNX-16). Pure.

Invariants: a document that a receiver would refuse is never written; a part that cannot be read keeps its last good
form, so that an API outage or a typing error in a deny list neither grants nor removes access; planning over the
current document changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from butler_kit.auth.jwks import ISSUER_LOCAL, ISSUER_SWITCHBOARD, parse_jwks
from butler_kit.auth.revocation import parse_deny_list
from butler_kit.auth.subjects import parse_subjects
from butler_operator.trust.issuer import ClusterIssuer
from butler_resources.kinds.names import LABEL_MANAGED_BY, LABEL_PART_OF, MANAGED_BY, PART_OF
from butler_resources.render.cluster.names import TRUST_CONFIGMAP

__all__ = [
    "CHANGED_AT",
    "JWKS",
    "KEYS_SINCE",
    "REVOKED",
    "SUBJECTS",
    "TrustInputs",
    "TrustPlan",
    "keys_since",
    "known_keys",
    "plan_trust",
]

JWKS: Final = "jwks.json"
SUBJECTS: Final = "subjects.json"
REVOKED: Final = "revoked.json"
KEYS_SINCE: Final = "butlers.dev/switchboard-keys-since"
"""Annotation: since when each of Switchboard's keys has been in the document, `{kid: moment}`."""
CHANGED_AT: Final = "butlers.dev/trust-changed-at"
Body = Mapping[str, Any]
Jwk = dict[str, Any]


@dataclass(frozen=True)
class TrustInputs:
    """The inputs of the document; `cluster` is None if the API server could not be queried.

    `subjects` are the static ones: `{subject: "operator" | "dashboard"}`. `revoked` is the deny list that people
    write: None when there is none, empty when it is not under its key.
    """

    namespace: str
    cluster: ClusterIssuer | None
    switchboard_keys: Sequence[Jwk]
    subjects: Mapping[str, str]
    revoked: str | None = None


@dataclass(frozen=True)
class TrustPlan:
    """`config_map` is the whole manifest, None when there is no document yet that a receiver could use."""

    config_map: dict[str, Any] | None
    problems: tuple[str, ...] = ()


def plan_trust(observed: Body | None, inputs: TrustInputs, *, now: datetime) -> TrustPlan:
    """Plan the trust document. Raises `ValueError` for invalid static subjects."""
    problems: list[str] = []
    cluster_keys = _cluster_keys(observed, inputs.cluster, problems)
    if not cluster_keys:
        return TrustPlan(None, tuple(problems))
    subjects = _text({"subjects": {name: {"role": role} for name, role in inputs.subjects.items()}})
    parse_subjects(subjects.encode())
    data = {
        JWKS: _text({"keys": [*cluster_keys, *_sorted(inputs.switchboard_keys)]}),
        SUBJECTS: subjects,
        REVOKED: _deny_list(observed, inputs.revoked, problems),
    }
    parse_jwks(data[JWKS].encode())
    known, stamp = keys_since(observed), now.isoformat()
    since = {key["kid"]: known.get(key["kid"], stamp) for key in inputs.switchboard_keys}
    changed = (observed or {}).get("data") != data
    annotations = {
        KEYS_SINCE: json.dumps(since, sort_keys=True),
        CHANGED_AT: stamp if changed else _annotations(observed).get(CHANGED_AT, stamp),
    }
    return TrustPlan(_config_map(inputs.namespace, data, annotations), tuple(problems))


def known_keys(trust: Body | None) -> dict[str, Jwk]:
    """Switchboard's keys in a document, by `kid`."""
    return {key["kid"]: key for key in _entries(trust) if key.get("iss") == ISSUER_SWITCHBOARD}


def keys_since(trust: Body | None) -> dict[str, str]:
    """Return since when each of Switchboard's keys in the document has been there."""
    try:
        noted = json.loads(_annotations(trust).get(KEYS_SINCE, "{}"))
    except ValueError:
        noted = {}
    there = known_keys(trust)
    return (
        {kid: str(since) for kid, since in noted.items() if kid in there} if isinstance(noted, dict) else {}
    )


def _cluster_keys(observed: Body | None, cluster: ClusterIssuer | None, problems: list[str]) -> list[Jwk]:
    if cluster is not None:
        problems.extend(cluster.left_out)
        return _sorted(cluster.keys)
    problems.append("the API server's keys for service accounts could not be read; the last ones stay")
    return _sorted(key for key in _entries(observed) if key["iss"] not in (ISSUER_LOCAL, ISSUER_SWITCHBOARD))


def _deny_list(observed: Body | None, revoked: str | None, problems: list[str]) -> str:
    empty = _text({"subjects": {}, "tokens": []})
    if revoked is None:
        return empty
    try:
        parse_deny_list(revoked.encode())
    except ValueError as error:
        fault = str(error) if revoked else f"(ConfigMap butlers-revoked) has no key {REVOKED}"
        problems.append(f"the deny list {fault}; the last good one stays")
        last: str = ((observed or {}).get("data") or {}).get(REVOKED, empty)
        return last
    return revoked


def _entries(trust: Body | None) -> list[Jwk]:
    """Return every key of a usable document."""
    try:
        document = json.loads(((trust or {}).get("data") or {}).get(JWKS, ""))
        parse_jwks(json.dumps(document).encode())
    except ValueError:
        return []
    return [dict(key) for key in document["keys"]]


def _annotations(observed: Body | None) -> Mapping[str, str]:
    return (observed or {}).get("metadata", {}).get("annotations") or {}


def _sorted(keys: Iterable[Jwk]) -> list[Jwk]:
    return sorted(keys, key=lambda key: str(key["kid"]))


def _text(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=1, sort_keys=True) + "\n"


def _config_map(namespace: str, data: Mapping[str, str], annotations: Mapping[str, str]) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": TRUST_CONFIGMAP,
            "namespace": namespace,
            "labels": {LABEL_PART_OF: PART_OF, LABEL_MANAGED_BY: MANAGED_BY},
            "annotations": dict(annotations),
        },
        "data": dict(data),
    }
