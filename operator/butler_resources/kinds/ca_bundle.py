"""`caBundleRef`: the household's own certificate authorities, and what is wrong with a bundle that is none.

Invariant: a bundle is trusted besides the system's authorities, never instead of them; it holds certificates only.
"""

from __future__ import annotations

import ssl
from typing import ClassVar, Final

from pydantic import Field

from butler_resources.kinds.base import ObjectName, ResourceModel, SecretRef
from butler_resources.kinds.rules import Rule

__all__ = ["CaBundleRef", "bundle_problem"]

USUAL_KEY: Final = "ca.crt"


class CaBundleRef(ResourceModel):
    """ConfigMap or Secret in the same namespace that holds certificate authorities."""

    config_map: ObjectName | None = Field(
        default=None, description="ConfigMap that holds them. Mutually exclusive with `secret`."
    )
    secret: ObjectName | None = Field(
        default=None, description="Secret that holds them, such as one issued by cert-manager."
    )
    key: str = Field(
        default=USUAL_KEY,
        pattern=r"^[A-Za-z0-9_][-._A-Za-z0-9]*$",
        max_length=253,
        description="Key in its data that holds the certificates, as concatenated PEM.",
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="has(self.configMap) != has(self.secret)",
            message="a CA bundle needs exactly one of `configMap` and `secret`",
            holds=lambda ref: (ref.config_map is None) != (ref.secret is None),
        ),
    )

    @property
    def kind(self) -> str:
        """Kubernetes' kind of what is named."""
        return "Secret" if self.secret is not None else "ConfigMap"

    @property
    def name(self) -> str:
        """The name of what is named."""
        return self.secret or self.config_map or ""

    @property
    def secret_ref(self) -> SecretRef | None:
        """The reference to a secret, where it is one."""
        return None if self.secret is None else SecretRef(name=self.secret, key=self.key)


def bundle_problem(text: str) -> str | None:
    """What is wrong with the text of a bundle; None when every program can use it."""
    if not text.strip():
        return "is empty; put certificates into it, as PEM"
    if "PRIVATE KEY-----" in text:
        return "holds a private key; put certificates alone into it"
    plain = text.encode("ascii", "replace").decode()
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=plain)
    except (ssl.SSLError, ValueError):
        return "holds no certificate that can be read; expected PEM, `-----BEGIN CERTIFICATE-----` and so on"
    return None
