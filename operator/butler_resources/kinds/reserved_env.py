"""Names that `spec.env` may not set: the place sets them itself, or they choose what code a pod runs.

Whoever writes a manifest chooses a value here, not a program: a path for Python, the loader's own variables and the
certificates that TLS goes by would each make another program of the same image.
"""

from __future__ import annotations

import re
from typing import Final

from butler_resources.kinds.rules import Rule

__all__ = ["ENV_RULES"]

PLACE_PREFIXES: Final = ("BUTLERS_", "SWITCHBOARD_", "CONNECTOR_")
"""Names that the renderer itself sets; a manifest that set them would disagree with the rest of the place."""
PROGRAM_PREFIXES: Final = ("PYTHON", "LD_", "SSL_", "OPENSSL_", "PGSSL")
PROGRAM_NAMES: Final = (
    "PATH", "HOME", "TMPDIR", "BASH_ENV", "ENV", "GCONV_PATH", "GLIBC_TUNABLES", "HOSTALIASES", "LOCPATH",
    "NLSPATH", "RESOLV_HOST_CONF",
)  # fmt: skip
"""Names of the loader, the C library, the shell and the host names; the rest of a family is in `PROGRAM_PREFIXES`."""
_PROGRAM: Final = f"^({'|'.join(PROGRAM_PREFIXES)})|^({'|'.join(PROGRAM_NAMES)})$"

ENV_RULES: Final = (
    Rule(
        cel=" && ".join(f"!self.name.startsWith('{prefix}')" for prefix in PLACE_PREFIXES),
        message=f"names that start with {', '.join(PLACE_PREFIXES)} are reserved; choose another name",
        holds=lambda entry: not entry.name.startswith(PLACE_PREFIXES),
        path=".name",
    ),
    Rule(
        cel=f"!self.name.matches('{_PROGRAM}')",
        message=f"names that start with {', '.join(PROGRAM_PREFIXES)} and names such as PATH and HOME decide which "
        "code a pod runs and whom it trusts; remove the entry",
        holds=lambda entry: re.search(_PROGRAM, entry.name) is None,
        path=".name",
    ),
)
