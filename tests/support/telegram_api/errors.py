"""The Bot API's refusals, worded as the real server words them.

https://core.telegram.org/bots/api#making-requests: `ok` false, `error_code`, `description` and, for some,
`parameters` (ResponseParameters: `retry_after`, seconds).
"""

from __future__ import annotations

from typing import Any


class ApiError(Exception):
    """A refusal of one call; `code` is both the HTTP status and `error_code`."""

    def __init__(self, code: int, description: str, *, retry_after_s: int | None = None) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.retry_after_s = retry_after_s

    def body(self) -> dict[str, Any]:
        body: dict[str, Any] = {"ok": False, "error_code": self.code, "description": self.description}
        if self.retry_after_s is not None:
            body["parameters"] = {"retry_after": self.retry_after_s}
        return body


def bad_request(problem: str) -> ApiError:
    return ApiError(400, f"Bad Request: {problem}")


def too_many_requests(retry_after_s: int) -> ApiError:
    description = f"Too Many Requests: retry after {retry_after_s}"
    return ApiError(429, description, retry_after_s=retry_after_s)
