"""Authentication and authorization of callers: offline tokens and their scopes (D1-D3, CNX-16, MSG-13).

This package needs no cryptography, so that a process that only presents its token, a connector, loads none: signing
and verifying are in `signer`, `verifier`, `keys` and `jwks`.
"""

from butler_kit.auth.authorize import authorize_connector, clamp_tier, require_role, trusted_caller
from butler_kit.auth.caller import Caller, ConnectorBinding, Role
from butler_kit.auth.errors import Forbidden, KeyFileError, Unauthenticated
from butler_kit.auth.files import TokenFile
from butler_kit.auth.revocation import DenyList, write_deny_list
from butler_kit.auth.subjects import Standing, SubjectDirectories, SubjectDirectory, SubjectsFile

__all__ = [
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
    "Unauthenticated",
    "authorize_connector",
    "clamp_tier",
    "require_role",
    "trusted_caller",
    "write_deny_list",
]
