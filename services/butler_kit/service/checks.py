"""Whether a process can serve: named checks run side by side, each with its own deadline."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from butler_kit.telemetry.redaction import redact_text

__all__ = ["CHECK_TIMEOUT_S", "Readiness", "ReadyCheck", "in_turn", "run_checks"]

CHECK_TIMEOUT_S: Final = 2.0
_REASON_CHARS: Final = 200

ReadyCheck = Callable[[], Awaitable[str | None]]
"""Returns None when all is well, else the reason in words."""


@dataclass(frozen=True, slots=True)
class Readiness:
    """The result: every check's name with `ok` or the reason."""

    ready: bool
    checks: Mapping[str, str]

    def to_json(self) -> dict[str, object]:
        """Return the body of `/readyz`."""
        return {"ready": self.ready, "checks": dict(self.checks)}


def in_turn(checks: Mapping[str, ReadyCheck]) -> dict[str, ReadyCheck]:
    """Return the checks so that they never run two at a time: together they need one database connection.

    The time that a check waits for another counts towards its own deadline.
    """
    turn = asyncio.Lock()

    def taking_turns(check: ReadyCheck) -> ReadyCheck:
        async def run() -> str | None:
            async with turn:
                return await check()

        return run

    return {name: taking_turns(check) for name, check in checks.items()}


async def run_checks(checks: Mapping[str, ReadyCheck], *, timeout_s: float = CHECK_TIMEOUT_S) -> Readiness:
    """Run all checks at once; one that fails, raises or does not answer in time makes the process not ready."""
    reasons = await asyncio.gather(*(_run(check, timeout_s) for check in checks.values()))
    named = dict(zip(checks, (reason or "ok" for reason in reasons), strict=True))
    return Readiness(ready=not any(reasons), checks=named)


async def _run(check: ReadyCheck, timeout_s: float) -> str | None:
    try:
        async with asyncio.timeout(timeout_s):
            reason = await check()
    except TimeoutError:
        return f"no answer within {timeout_s:g} s"
    except Exception as error:
        # The page needs no token: report the kind of failure, never a connection string.
        return redact_text(f"{type(error).__name__}: {error}", _REASON_CHARS)
    return redact_text(reason, _REASON_CHARS) if reason else None
