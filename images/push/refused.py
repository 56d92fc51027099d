"""The messages for the user when something cannot be pushed.

The programs that push print a page or a chain of Go errors; each of the few common causes has its line here.
"""

from __future__ import annotations

import re

__all__ = ["Refused", "why"]

NO_CREDENTIALS = (
    "asks for credentials or refuses those that it got: buildah login {host} "
    "(charts are pushed with the same login)"
)
CAUSES = (
    (
        r"server gave HTTP response to HTTPS client|WRONG_VERSION_NUMBER|record layer failure",
        "speaks plain HTTP; if that is meant: PLAIN_HTTP=1",
    ),
    (
        r"x509:|certificate signed by unknown authority|tls: failed to verify|CERTIFICATE_VERIFY_FAILED",
        "has a certificate that this machine does not trust; one's own authority: SSL_CERT_FILE=ca.pem make push …",
    ),
    (
        r"connection refused|no such host|no route to host|i/o timeout|server misbehaving|name or service not known"
        r"|timed out",
        "cannot be reached",
    ),
    (r"unauthorized|authentication required|basic credential not found|no basic auth", NO_CREDENTIALS),
    (r"denied|403 Forbidden|status code 403", "does not let this account push there"),
    (r"no space left|quota exceeded|insufficient storage", "has no room left"),
)
"""What a program's output matches, and what that means; the first match counts."""
FRAME = re.compile(r"^(?:time=|level=(?:INFO|WARN|DEBUG)|Getting image|Copying|Writing manifest|Storing)")


class Refused(Exception):
    """One line for the user: what cannot be pushed, why, what to do."""


def why(host: str, words: str) -> str:
    """Return a line for the user, from what the program printed."""
    said = [line.strip() for line in words.splitlines() if line.strip() and not FRAME.match(line)]
    for pattern, meaning in CAUSES:
        if re.search(pattern, "\n".join(said), re.IGNORECASE):
            return f"registry {host} {meaning.format(host=host)}"
    last = said[-1].removeprefix("Error: ") if said else "it ended without a word"
    return f"registry {host}: {last[:300]}"
