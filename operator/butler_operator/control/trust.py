"""Carry out `butler_operator.trust`'s plans: Switchboard's signing key, the trust document, the pods that read it.

Secrets are neither listed nor watched, so the key is read when its plan says so and at each resync; the deny list
that people write (ConfigMap `butlers-revoked`, key `revoked.json`) is read every `POLL_S`, so that it counts within
a minute (CNX-16.2). Nothing from a Secret is logged.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from butler_kit.auth.keys import new_private_key_pem
from butler_kit.telemetry import get_logger
from butler_operator.cluster.errors import ClusterConflict, ClusterError, ClusterGone, ClusterRefused
from butler_operator.control.runtime import Runtime
from butler_operator.reconcile.ownership import Whose, whose
from butler_operator.reconcile.plan import plan
from butler_operator.trust import (
    ClusterIssuer,
    Rotation,
    SigningPlan,
    TrustInputs,
    discovered,
    plan_signing,
    plan_trust,
    pods_to_wake,
)
from butler_resources.render.cluster import READER, SIGNING_SECRET, TRUST_CONFIGMAP

__all__ = ["POLL_S", "REVOKED_CONFIGMAP", "Trust"]

_log = get_logger(__name__)

POLL_S: Final = 15.0
REVOKED_CONFIGMAP: Final = "butlers-revoked"
REVOKED_KEY: Final = "revoked.json"
OPERATOR: Final = "butlers-operator"
Body = dict[str, Any]


@dataclass
class _Signing:
    plan: SigningPlan
    looked_at: float


class Trust:
    """`desired` and `wake` for the household's reconcile."""

    def __init__(self, runtime: Runtime, *, rotation: Rotation | None = None) -> None:
        self._runtime = runtime
        self._rotation = rotation or Rotation(interval=timedelta(days=runtime.settings.signing_days))
        self._signing: dict[str, _Signing] = {}
        self._issuer: ClusterIssuer | None = None
        self._issuer_at = float("-inf")

    async def desired(self, namespace: str) -> tuple[list[Body], list[str]]:
        """Return the household's trust document, once possible, and any problems. Creates the signing key."""
        observed = self._runtime.observed.get("ConfigMap", namespace, TRUST_CONFIGMAP)
        signing = await self._sign(namespace, observed)
        inputs = TrustInputs(
            namespace=namespace,
            cluster=await self._cluster_issuer(),
            switchboard_keys=signing.keys,
            subjects=self._subjects(namespace),
            revoked=await self._revoked(namespace),
        )
        planned = plan_trust(observed, inputs, now=self._runtime.clock.now())
        problems = [*planned.problems, *([signing.problem] if signing.problem else [])]
        return [planned.config_map] if planned.config_map is not None else [], problems

    async def wake(self, namespace: str) -> None:
        """Let the kubelets know of a changed document."""
        observed = self._runtime.observed
        trust = observed.get("ConfigMap", namespace, TRUST_CONFIGMAP)
        for name, patch in pods_to_wake(list(observed.of_kind("Pod", namespace)), trust):
            try:
                observed.put(await self._runtime.cluster.patch("Pod", namespace, name, patch))
            except (ClusterGone, ClusterConflict):
                continue  # it reads the document when it starts
            except ClusterRefused as error:
                _log.warning("pod_not_woken", namespace=namespace, pod=name, problem=error.message)

    async def forget(self, namespace: str) -> None:
        """Delete our signing key when the household is gone."""
        if self._signing.pop(namespace, None) is None:
            return
        secret = await self._runtime.cluster.get("Secret", namespace, SIGNING_SECRET)
        if secret is not None and whose(secret, None) is Whose.OURS:
            uid = secret["metadata"]["uid"]
            await self._runtime.cluster.delete("Secret", namespace, SIGNING_SECRET, uid=uid)

    async def _sign(self, namespace: str, trust: Body | None) -> SigningPlan:
        known = self._signing.get(namespace)
        now = self._runtime.clock.now()
        if known is not None and now < known.plan.look_again_at and not self._is_old(known.looked_at):
            return known.plan
        secret = await self._runtime.cluster.get("Secret", namespace, SIGNING_SECRET)
        planned = plan_signing(
            secret,
            trust,
            namespace=namespace,
            now=now,
            new_key=new_private_key_pem,
            rotation=self._rotation,
        )
        await self._write(namespace, secret, planned)
        self._signing[namespace] = _Signing(planned, self._runtime.clock.monotonic())
        return planned

    async def _write(self, namespace: str, secret: Body | None, planned: SigningPlan) -> None:
        if planned.secret is None:
            return
        live = [] if secret is None else [secret]
        todo = plan([planned.secret], live, owner=None, prunable=(), tolerated={})
        if todo.foreign:
            _log.warning("signing_key_of_somebody_else", namespace=namespace, secret=SIGNING_SECRET)
        for manifest in todo.apply:
            await self._runtime.cluster.apply(manifest)
            self._runtime.metrics.count("butlers.operator.writes", kind="Secret", verb="apply")
            _log.info("signing_key", namespace=namespace, step=planned.step.value)

    async def _cluster_issuer(self) -> ClusterIssuer | None:
        if self._issuer is not None and not self._is_old(self._issuer_at):
            return self._issuer
        cluster = self._runtime.cluster
        try:
            configuration = await cluster.request("GET", "/.well-known/openid-configuration")
            jwks = await cluster.request("GET", "/openid/v1/jwks", accept="application/jwk-set+json")
            self._issuer = discovered(configuration, jwks)
            self._issuer_at = self._runtime.clock.monotonic()
        except (ClusterError, ValueError) as error:
            _log.warning("issuer_not_read", problem=str(error))
            return None
        return self._issuer

    def _is_old(self, looked_at: float) -> bool:
        return self._runtime.clock.monotonic() - looked_at > self._runtime.settings.resync_s

    async def _revoked(self, namespace: str) -> str | None:
        """Return the deny list that people write: None without the ConfigMap, empty without its key."""
        body = await self._runtime.cluster.get("ConfigMap", namespace, REVOKED_CONFIGMAP)
        return None if body is None else str((body.get("data") or {}).get(REVOKED_KEY, ""))

    def _subjects(self, namespace: str) -> dict[str, str]:
        """Return the undeclared subjects: the operator, the reader for people, and people's own accounts."""
        people = self._runtime.place(namespace).dashboard_operators
        return {
            f"system:serviceaccount:{namespace}:{READER}": "dashboard",
            **{f"system:serviceaccount:{namespace}:{name}": "operator" for name in people},
            self._own_subject(namespace): "operator",
        }

    def _own_subject(self, namespace: str) -> str:
        """Return the subject of the operator's own token; only its receivers verify the token."""
        try:
            token = (self._runtime.settings.tokens_dir / "switchboard").read_text(encoding="ascii")
            payload = token.split(".")[1]
            claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
            return str(claims["sub"])
        except (OSError, ValueError, LookupError, TypeError):
            place = self._runtime.place(namespace)
            return f"system:serviceaccount:{place.operator_namespace}:{OPERATOR}"
