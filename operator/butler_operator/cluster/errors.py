"""The errors of a Kubernetes API call.

`ClusterUnavailable` and `ClusterConflict` are transient: raise them, and the key is retried. `ClusterRefused` is not:
it becomes a condition. `ClusterGone` is an answer, not a failure.
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
    """Base class; `status` is the HTTP status, 0 if there was no answer."""

    retryable: ClassVar[bool] = True

    def __init__(self, message: str, *, status: int = 0, reason: str = "") -> None:
        self.message = message
        self.status = status
        self.reason = reason
        super().__init__(message)


class ClusterUnavailable(ClusterError):
    """No answer, a server error, or too many requests."""


class ClusterConflict(ClusterError):
    """The object changed meanwhile, or a precondition does not hold: read it again."""


class ClusterGone(ClusterError):
    """There is no such object (404)."""

    retryable: ClassVar[bool] = False


class ClusterRefused(ClusterError):
    """The API rejects the request as it is: invalid, forbidden, or the namespace is being deleted."""

    retryable: ClassVar[bool] = False

    @property
    def namespace_ending(self) -> bool:
        """Whether the namespace is being deleted, so that nothing can be created in it any more."""
        return self.status == 403 and "being terminated" in self.message


_NOT_TYPED: Final = "failed to create typed patch object"
"""A field that the kind does not have; the API server reports it as an internal error, every time."""
_BY_STATUS: dict[int, type[ClusterError]] = {
    404: ClusterGone,
    409: ClusterConflict,
    408: ClusterUnavailable,
    429: ClusterUnavailable,
}


def error_of(status: int, *, message: str, reason: str = "") -> ClusterError:
    """Return the error for an answer with `status` (not 2xx)."""
    if status == 500 and message.startswith(_NOT_TYPED):
        return ClusterRefused(message, status=status, reason=reason)
    if status >= 500 or status == 401:
        # 401: the projected token is being replaced, or the API server does not see its keys yet.
        return ClusterUnavailable(message, status=status, reason=reason)
    kind = _BY_STATUS.get(status, ClusterRefused)
    return kind(message, status=status, reason=reason)


def words_of(message: str) -> str:
    """Return the server's message in one line, always the same: it lists problems line by line, in any order.

    In a condition another order would be a change, and its write would bring the next attempt.
    """
    first, *rest = message.splitlines() or [""]
    return " ".join(" ".join([first, *sorted(rest)]).split())
