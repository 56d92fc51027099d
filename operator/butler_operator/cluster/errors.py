"""What a call of the Kubernetes API can end with, in the operator's words.

`ClusterUnavailable` and `ClusterConflict` pass: raise them, and the key is tried again. `ClusterRefused` does not: it
becomes a condition. `ClusterGone` is an answer, not a failure.
"""

from __future__ import annotations

from typing import ClassVar, Final

__all__ = [
    "ClusterConflict",
    "ClusterError",
    "ClusterGone",
    "ClusterRefused",
    "ClusterUnavailable",
    "error_of",
    "words_of",
]


class ClusterError(Exception):
    """Base of all; `status` is HTTP's, 0 when there was no answer."""

    retryable: ClassVar[bool] = True

    def __init__(self, message: str, *, status: int = 0, reason: str = "") -> None:
        self.message = message
        self.status = status
        self.reason = reason
        super().__init__(message)


class ClusterUnavailable(ClusterError):
    """No answer, a server error, or too many requests."""


class ClusterConflict(ClusterError):
    """The object changed meanwhile, or a precondition does not hold: look again."""


class ClusterGone(ClusterError):
    """There is no such object (404)."""

    retryable: ClassVar[bool] = False


class ClusterRefused(ClusterError):
    """The API will not take this as it is: invalid, forbidden, or its namespace is ending."""

    retryable: ClassVar[bool] = False

    @property
    def namespace_ending(self) -> bool:
        """Whether the namespace is being deleted, so that nothing can be made in it any more."""
        return self.status == 403 and "being terminated" in self.message


_NOT_TYPED: Final = "failed to create typed patch object"
"""A field that the kind does not have: the API server calls it an error of its own, and would say so for ever."""
_BY_STATUS: dict[int, type[ClusterError]] = {
    404: ClusterGone,
    409: ClusterConflict,
    408: ClusterUnavailable,
    429: ClusterUnavailable,
}


def error_of(status: int, *, message: str, reason: str = "") -> ClusterError:
    """The error that an answer with `status` (not 2xx) means."""
    if status == 500 and message.startswith(_NOT_TYPED):
        return ClusterRefused(message, status=status, reason=reason)
    if status >= 500 or status == 401:
        # 401: the projected token is being replaced, or the API server does not see its keys yet.
        return ClusterUnavailable(message, status=status, reason=reason)
    kind = _BY_STATUS.get(status, ClusterRefused)
    return kind(message, status=status, reason=reason)


def words_of(message: str) -> str:
    """The server's words in one line, the same each time: it lists what is wrong line by line, in any order.

    In a condition another order would be news, and its write would bring the next attempt.
    """
    first, *rest = message.splitlines() or [""]
    return " ".join(" ".join([first, *sorted(rest)]).split())
