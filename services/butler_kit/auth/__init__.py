"""Who is calling and what that caller may do: offline tokens and their scopes (D1-D3, CNX-16, MSG-13)."""

from butler_kit.auth.authorize import authorize_connector, clamp_tier, require_role, trusted_caller
from butler_kit.auth.caller import Caller, ConnectorBinding, Role
from butler_kit.auth.errors import Forbidden, KeyFileError, Unauthenticated
from butler_kit.auth.files import TokenFile
from butler_kit.auth.jwks import ISSUER_LOCAL, ISSUER_SWITCHBOARD
from butler_kit.auth.keys import generate_key_pair, public_jwk, write_jwks
from butler_kit.auth.revocation import DenyList, write_deny_list
from butler_kit.auth.signer import TokenSigner, audience_of, connector_claims
from butler_kit.auth.subjects import Standing, SubjectDirectories, SubjectDirectory, SubjectsFile
from butler_kit.auth.verifier import TokenVerifier

__all__ = [
    "ISSUER_LOCAL",
    "ISSUER_SWITCHBOARD",
    "Caller",
    "ConnectorBinding",
    "DenyList",
    "Forbidden",
    "KeyFileError",
    "Role",
    "Standing",
    "SubjectDirectories",
    "SubjectDirectory",
    "SubjectsFile",
    "TokenFile",
    "TokenSigner",
    "TokenVerifier",
    "Unauthenticated",
    "audience_of",
    "authorize_connector",
    "clamp_tier",
    "connector_claims",
    "generate_key_pair",
    "public_jwk",
    "require_role",
    "trusted_caller",
    "write_deny_list",
    "write_jwks",
]
