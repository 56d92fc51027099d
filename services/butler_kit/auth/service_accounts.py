"""Kubernetes service-account tokens: each proves a subject, to one receiver, for an hour at most (D2). Pure.

Their claims carry no role: the subject directory assigns it. Offline verification does not notice a deleted pod or
account; its tokens expire within the hour, or at once through the deny list.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final

from butler_kit.auth.caller import Caller
from butler_kit.auth.claims import check_seconds, text_claim
from butler_kit.auth.errors import Unauthenticated
from butler_kit.auth.subjects import Standing, is_service_account

__all__ = ["SERVICE_ACCOUNT_LIFETIME_S", "ServiceAccount", "service_account_of"]

SERVICE_ACCOUNT_LIFETIME_S: Final = 3600
"""Longest life (D2). An API server makes `exp` from the same second as `iat`: a projected token with
`expirationSeconds: 3600` lives exactly this long. Only tokens for the API server itself are stretched to a year."""


@dataclass(frozen=True, slots=True)
class ServiceAccount:
    """The bearer of a verified token; `token_id` is its `jti`, or its digest on clusters before 1.30."""

    subject: str
    token_id: str
    expires_at: datetime

    def as_caller(self, standing: Standing | None) -> Caller:
        """Return the caller with a directory's standing. Raises `Unauthenticated` when there is none."""
        if standing is None:
            raise Unauthenticated(
                f"the subject '{self.subject}' is not declared to this receiver; "
                "the operator declares it, and a new declaration counts within seconds"
            )
        return Caller(
            subject=self.subject,
            role=standing.role,
            name=standing.name,
            connector=standing.connector,
            origin=None,
            token_id=self.token_id,
            expires_at=self.expires_at,
        )


def service_account_of(claims: Mapping[str, Any], *, audience: str, signed_text: str) -> ServiceAccount:
    """Return the bearer a signed token describes; `signed_text` is what its signature covers.

    Raises `Unauthenticated` for a token that is also for other receivers, lives longer than an hour, or has
    a subject that is no service account.
    """
    if claims["aud"] not in (audience, [audience]):
        raise Unauthenticated(f"the token is meant for others too; it needs the audience {audience} alone")
    subject = text_claim(claims, "sub")
    if not is_service_account(subject):
        raise Unauthenticated("the token's subject is no service account of the cluster")
    check_seconds(claims)
    if claims["exp"] - claims["iat"] > SERVICE_ACCOUNT_LIFETIME_S:
        raise Unauthenticated(
            f"the token of '{subject}' lives longer than {SERVICE_ACCOUNT_LIFETIME_S} s; "
            "project it with expirationSeconds 3600 or less"
        )
    return ServiceAccount(
        subject=subject,
        token_id=text_claim(claims, "jti") if "jti" in claims else _digest(signed_text),
        expires_at=datetime.fromtimestamp(claims["exp"], UTC),
    )


def _digest(signed_text: str) -> str:
    """Return an id that does not depend on how the signature is encoded."""
    return f"sha256:{sha256(signed_text.encode()).hexdigest()}"
