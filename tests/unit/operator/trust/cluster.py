"""A namespace's Secret and ConfigMap as an API server keeps them, and pods that see them late."""

from __future__ import annotations

import copy
import json
from base64 import b64decode
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from butler_kit.auth.jwks import ISSUER_SWITCHBOARD
from butler_kit.auth.keys import new_private_key_pem
from butler_kit.auth.signer import TokenSigner, audience_of
from butler_kit.auth.verifier import TokenVerifier
from butler_kit.time import ManualClock
from butler_operator.trust import (
    ClusterIssuer,
    Rotation,
    SigningPlan,
    TrustInputs,
    discovered,
    plan_signing,
    plan_trust,
)
from tests.support.cluster_tokens import ISSUER, OPERATOR, ClusterKeys

__all__ = ["NOON", "Namespace", "Pod", "cluster_issuer", "inputs"]

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
NAMESPACE = "home"


def cluster_issuer(*keys: ClusterKeys) -> ClusterIssuer:
    found = [{**key.jwk, "iss": ...} for key in keys or (ClusterKeys("ES256"),)]
    jwks = {"keys": [{name: value for name, value in key.items() if value is not ...} for key in found]}
    return discovered({"issuer": ISSUER}, jwks)


def inputs(**more: Any) -> TrustInputs:
    given = {
        "namespace": NAMESPACE,
        "cluster": cluster_issuer(),
        "switchboard_keys": (),
        "subjects": {OPERATOR: "operator"},
    }
    return TrustInputs(**{**given, **more})


class Namespace:
    """What the API server has, with its past; the operator's one call is `reconcile`."""

    def __init__(self, rotation: Rotation) -> None:
        self.rotation = rotation
        self.secret: dict[str, Any] | None = None
        self.trust: dict[str, Any] | None = None
        self.past: list[tuple[datetime, dict[str, bytes], dict[str, bytes]]] = []

    def reconcile(self, now: datetime, *, crash: bool = False) -> SigningPlan:
        """One step; with `crash` the operator dies between its two writes."""
        plan = plan_signing(
            self.secret,
            self.trust,
            namespace=NAMESPACE,
            now=now,
            new_key=new_private_key_pem,
            rotation=self.rotation,
        )
        if plan.secret is not None:
            others = {} if self.secret is None else self.secret["metadata"]["annotations"]
            self.secret = copy.deepcopy(plan.secret)
            wish = {name: text for name, text in others.items() if name.endswith("rotate-signing")}
            self.secret["metadata"]["annotations"] |= wish
        if not crash:
            document = plan_trust(self.trust, inputs(switchboard_keys=plan.keys), now=now)
            assert document.config_map is not None
            self.trust = copy.deepcopy(document.config_map)
        self.past.append((now, _files(self.secret, encoded=True), _files(self.trust)))
        return plan

    def at(self, moment: datetime) -> tuple[dict[str, bytes], dict[str, bytes]]:
        """The files of Secret and ConfigMap as they were."""
        known = [entry for entry in self.past if entry[0] <= moment]
        _, secret, trust = (known or self.past)[-1]
        return secret, trust


class Pod:
    """A replica of Switchboard and a receiver in one: it sees a change at most `lag` late, each file on its own."""

    def __init__(self, folder: Path, namespace: Namespace, clock: ManualClock, lag: timedelta) -> None:
        self._folder, self._namespace, self._clock, self._lag = folder, namespace, clock, lag
        self._seen = {"secret": NOON, "trust": NOON}
        folder.mkdir()
        self._mount()
        self.signer = TokenSigner(folder / "signing.pem", ISSUER_SWITCHBOARD, clock)
        self.verifier = TokenVerifier(folder / "jwks.json", audience_of("finance"), clock)

    def kubelet(self, rng: Random) -> None:
        """Look at both volumes, each as it was up to `lag` ago and never older than seen before."""
        for name in self._seen:
            late = timedelta(seconds=rng.uniform(0, self._lag.total_seconds()))
            self._seen[name] = max(self._seen[name], self._clock.now() - late)
        self._mount()

    def _mount(self) -> None:
        secret, _ = self._namespace.at(self._seen["secret"])
        _, trust = self._namespace.at(self._seen["trust"])
        for name, content in {**secret, **trust}.items():
            path = self._folder / name
            if not path.exists() or path.read_bytes() != content:
                beside = self._folder / f".{name}"
                beside.write_bytes(content)
                beside.replace(path)


def _files(manifest: Mapping[str, Any] | None, *, encoded: bool = False) -> dict[str, bytes]:
    data = (manifest or {}).get("data", {})
    return {name: b64decode(text) if encoded else text.encode() for name, text in data.items()}


def kids(trust: Mapping[str, Any]) -> set[str]:
    """Switchboard's keys in a document."""
    keys = json.loads(trust["data"]["jwks.json"])["keys"]
    return {key["kid"] for key in keys if key["iss"] == ISSUER_SWITCHBOARD}
