"""A household's keys in a folder of the test: tokens by the household's authority, and by Switchboard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from butler_kit.auth.jwks import ISSUER_LOCAL, ISSUER_SWITCHBOARD
from butler_kit.auth.keys import generate_key_pair, write_jwks
from butler_kit.auth.signer import TokenSigner, audience_of, connector_claims
from butler_kit.time import SystemClock

__all__ = ["HouseholdKeys"]


class HouseholdKeys:
    """Signs tokens for every role; `jwks` is what services verify them with."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.jwks = folder / "jwks.json"
        self.switchboard_key = folder / "switchboard.pem"
        local = folder / "local.pem"
        public = [
            generate_key_pair(local, ISSUER_LOCAL),
            generate_key_pair(self.switchboard_key, ISSUER_SWITCHBOARD),
        ]
        write_jwks(self.jwks, public)
        self._local = TokenSigner(local, ISSUER_LOCAL, SystemClock())
        self._switchboard = TokenSigner(self.switchboard_key, ISSUER_SWITCHBOARD, SystemClock())

    def as_switchboard(self, receiver: str, *, origin: str | None = None) -> str:
        """Switchboard's own token; `origin` is the butler on whose behalf it calls."""
        claims: dict[str, Any] = {"role": "switchboard"}
        if origin is not None:
            claims["origin"] = origin
        return self._switchboard.sign(audience_of(receiver), "switchboard", 60, claims)

    def sign(self, subject: str, role: str, *, receiver: str = "switchboard", **claims: Any) -> str:
        """A token of the household's authority with any claims."""
        return self._local.sign(audience_of(receiver), subject, 3600, {"role": role, **claims})

    def butler(self, name: str, *, receiver: str = "switchboard") -> str:
        return self.sign(name, "butler", receiver=receiver, name=name)

    def connector(
        self, kind: str, endpoint: str, *, max_tier: str = "interactive", receiver: str = "switchboard"
    ) -> str:
        claims = connector_claims(kind, endpoint, max_tier)
        return self._local.sign(audience_of(receiver), f"connector-{kind}", 3600, claims)

    def operator(self, *, receiver: str = "switchboard") -> str:
        return self.sign("ada", "operator", receiver=receiver)
