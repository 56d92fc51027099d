"""A cluster's service-account keys, and tokens as its API server makes them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from butler_kit.auth.keys import write_jwks
from butler_kit.auth.signer import audience_of
from butler_kit.time import Clock

__all__ = ["ISSUER", "OPERATOR", "ClusterKeys", "joined", "subject_of"]

ISSUER: Final = "https://kubernetes.default.svc.cluster.local"
NAMESPACE: Final = "home"


def subject_of(account: str, namespace: str = NAMESPACE) -> str:
    return f"system:serviceaccount:{namespace}:{account}"


OPERATOR: Final = subject_of("butlers-operator", "butlers-system")


@cache
def _private(algorithm: str, number: int) -> Any:
    if algorithm == "RS256":
        return rsa.generate_private_key(65537, 2048)
    return ec.generate_private_key(ec.SECP256R1())


class ClusterKeys:
    """One API server's signing key; `jwk` is how the operator puts it into a household's key set."""

    def __init__(self, algorithm: str = "RS256", *, issuer: str = ISSUER, number: int = 0) -> None:
        self.algorithm = algorithm
        self.issuer = issuer
        self.private = _private(algorithm, number)
        self.kid = f"{algorithm}-{number}"

    @property
    def jwk(self) -> dict[str, Any]:
        spell = RSAAlgorithm if self.algorithm == "RS256" else ECAlgorithm
        public = json.loads(spell.to_jwk(self.private.public_key()))
        public.pop("key_ops", None)
        return {**public, "use": "sig", "alg": self.algorithm, "kid": self.kid, "iss": self.issuer}

    def token(
        self, account: str, clock: Clock, *, receiver: str = "switchboard", life_s: int = 3600, **claims: Any
    ) -> str:
        """A projected token of `home/ACCOUNT`; a claim given as `...` is left out."""
        made = int(clock.now().timestamp())
        bound = {
            "namespace": NAMESPACE,
            "pod": {"name": f"{account}-0", "uid": "86e4d1c8-6d5b-4dd7-a4f2-7f2c5d0a8c11"},
            "serviceaccount": {"name": account, "uid": "0f2f3a30-9c0d-4a34-8b57-2f9f3f0f6a77"},
        }
        full = {
            "aud": [audience_of(receiver)],
            "exp": made + life_s,
            "iat": made,
            "iss": self.issuer,
            "jti": "5f1b8f0e-6d4a-4f5e-9a83-0c6f6f3a2b1d",
            "kubernetes.io": bound,
            "nbf": made,
            "sub": subject_of(account),
            **claims,
        }
        kept = {name: value for name, value in full.items() if value is not ...}
        return jwt.encode(kept, self.private, algorithm=self.algorithm, headers={"kid": self.kid})


def joined(cluster: ClusterKeys, jwks: Path, folder: Path) -> dict[str, str]:
    """Add the cluster's key to a household's key set; the environment of a service that knows its operator."""
    write_jwks(jwks, [*json.loads(jwks.read_text())["keys"], cluster.jwk])
    subjects = folder / "subjects.json"
    subjects.write_text(json.dumps({"subjects": {OPERATOR: {"role": "operator"}}}))
    return {"BUTLERS_SUBJECTS_FILE": str(subjects)}
