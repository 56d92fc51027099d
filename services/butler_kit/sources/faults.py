"""The error of a source that does not do what it was asked."""

from __future__ import annotations

__all__ = ["SourceFault"]


class SourceFault(Exception):
    """The provider did not do what was asked; `kind` is the metric's error type."""

    def __init__(
        self, message: str, *, kind: str = "source_error", retry_after_s: float | None = None
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after_s = retry_after_s
