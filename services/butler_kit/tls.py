"""Trust of outgoing TLS: the system's authorities, and besides them the household's own (`spec.caBundleRef`).

Invariant: the household's bundle is added and replaces nothing, so one process reaches both a mail server behind a
private authority and a provider behind a public one. Names are always verified.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Mapping
from typing import Final

__all__ = ["CA_FILE", "client_context", "distrust", "with_own_authority"]

CA_FILE: Final = "BUTLERS_CA_FILE"
"""The variable that names the file with the household's authorities (PEM); the place sets it."""


def client_context(env: Mapping[str, str] = os.environ) -> ssl.SSLContext:
    """Return the context for every outgoing connection. Raises `OSError` for a bundle that cannot be used."""
    return with_own_authority(ssl.create_default_context(), env)


def with_own_authority(context: ssl.SSLContext, env: Mapping[str, str] = os.environ) -> ssl.SSLContext:
    """Make `context` trust the household's own authorities too; return it."""
    file = env.get(CA_FILE)
    if file:
        context.load_verify_locations(cafile=file)
    return context


def distrust(error: BaseException | None) -> str | None:
    """Return why the peer's certificate was refused, and what to do; None when that is not what happened."""
    # aiohttp wraps the error that has the reason in a class of the same name.
    while error is not None and not hasattr(error, "verify_message"):
        error = error.__cause__ or error.__context__
    if not isinstance(error, ssl.SSLCertVerificationError):
        return None
    said = error.verify_message.rstrip(".")
    if error.verify_code in _NAMES:
        return f"its certificate is for another name ({said}); use a name that the certificate has"
    return f"its certificate is not trusted ({said}); name its authority in `caBundleRef`"


_NAMES: Final = frozenset({62, 64})
"""X509_V_ERR_HOSTNAME_MISMATCH and X509_V_ERR_IP_ADDRESS_MISMATCH of OpenSSL."""
