"""Which addresses are one's own network: a key or a file may travel there without TLS, and nobody is paid (D57, D59).

Invariant: written in what RE2 (the API server's) and Python's `re` read alike.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = [
    "KEY_IN_CLEAR",
    "ORIGIN_IN_CLEAR",
    "PRICE_UNKNOWN",
    "PRIVATE_HTTP",
    "is_ones_own",
    "key_in_clear",
]

_PRIVATE_HOSTS: Final = (
    "127[.][0-9.]+", "10[.][0-9.]+", "192[.]168[.][0-9.]+", "172[.](1[6-9]|2[0-9]|3[01])[.][0-9.]+",
    "169[.]254[.][0-9.]+", ".::1]", ".[fF][cCdD][0-9a-fA-F]*:[0-9a-fA-F:]+]", ".[fF][eE]80:[0-9a-fA-F:]+]",
    "[a-zA-Z][a-zA-Z0-9-]*", "[a-zA-Z0-9.-]+[.](svc|svc[.]cluster[.]local|local|lan|internal|home[.]arpa|localhost)",
)  # fmt: skip
"""Loopback, private ranges (RFC 1918, 3927, 4193), names without a dot, and names that no public DNS has; a bracket is
a dot here, as the two languages escape it differently."""
PRIVATE_HTTP: Final = f"^http://({'|'.join(_PRIVATE_HOSTS)})(:[0-9]+)?(/.*)?$"
KEY_IN_CLEAR: Final = (
    "the key would cross a public network unencrypted; use https, a private address, or no key"
)
ORIGIN_IN_CLEAR: Final = (
    "files would be fetched unencrypted from a public network; use https, or an address in a private network"
)
PRICE_UNKNOWN: Final = (
    "a budget in cents needs the model's price: give `runtime.price`, in cents per million tokens, and for a family "
    "that is tried `runtime.canary.price`; 0 for a free server, which is the default at http:// in a private network"
)


def is_ones_own(base_url: str) -> bool:
    """Whether a server is of the household's own network by the form of its address, and so costs nothing."""
    return re.search(PRIVATE_HTTP, base_url) is not None


def key_in_clear(base_url: str) -> bool:
    """Whether a key sent there could be read on the way by others than the household's own network."""
    return base_url.startswith("http://") and not is_ones_own(base_url)
