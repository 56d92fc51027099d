"""Switchboard's signing key being replaced (D2): asked for by an annotation, done five minutes and more later."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from butler_kit.auth.jwks import ISSUER_SWITCHBOARD
from tests.e2e.cluster import Cluster, eventually
from tests.e2e.scenarios.auditing import now

__all__ = ["TRUST", "Rotating"]

SECRET, TRUST = "switchboard-signing", "butlers-trust"
FIRST_S, SECOND_S = 600.0, 1_200.0
FILE = "/etc/butlers/signing/signing.pem"
HASH = (
    "import hashlib, pathlib, sys; print(hashlib.sha256(pathlib.Path(sys.argv[1]).read_bytes()).hexdigest())"
)


@dataclass(frozen=True)
class Rotating:
    """A rotation that was asked for at `asked_at`; `before` is a hash of the key that signed then.

    A key that was replaced just before has to retire first (`retiring`): the household is rotated a second time.
    """

    cluster: Cluster
    asked_at: datetime
    before: str
    retiring: bool

    @classmethod
    def ask(cls, cluster: Cluster) -> Rotating:
        asked = cls(cluster, now(), _signing(cluster), retiring=_known_keys(cluster) > 1)
        wish = f"butlers.dev/rotate-signing={secrets.token_hex(4)}"
        cluster.kubectl("annotate", "secret", SECRET, wish, "--overwrite", "--namespace", cluster.namespace)
        return asked

    def published(self) -> bool:
        """Whether every receiver can know the new key beside the old one."""
        return _known_keys(self.cluster) > 1

    def signs(self) -> bool:
        """Whether every Switchboard signs with the new key."""
        current = _signing(self.cluster)
        if current == self.before:
            return False
        pods = self.cluster.list("pods", selector="butlers.dev/kind=Butler,butlers.dev/name=switchboard")
        return all(_read_by(self.cluster, pod) == current for pod in pods)

    def until_it_signs(self) -> None:
        timeout_s = SECOND_S if self.retiring else FIRST_S
        eventually(
            self.signs, timeout_s=timeout_s, pause_s=5, what="every Switchboard signs with the new key"
        )


def _known_keys(cluster: Cluster) -> int:
    """How many keys of Switchboard its receivers know."""
    trust = cluster.get("configmap", TRUST)
    assert trust is not None
    keys = json.loads(trust["data"]["jwks.json"])["keys"]
    return len([key for key in keys if key.get("iss") == ISSUER_SWITCHBOARD])


def _signing(cluster: Cluster) -> str:
    secret = cluster.get("secret", SECRET)
    assert secret is not None
    return hashlib.sha256(base64.b64decode(secret["data"]["signing.pem"])).hexdigest()


def _read_by(cluster: Cluster, pod: dict[str, Any]) -> str:
    where = ("exec", "--namespace", cluster.namespace, pod["metadata"]["name"], "--container")
    container = pod["spec"]["containers"][0]["name"]
    return cluster.kubectl(*where, container, "--", "python", "-c", HASH, FILE).strip()
