"""What a provider call can end in, in the words that decisions understand.

Invariant: `Refused`, `Deferred`, `Throttled` and `Unreachable` are given only where it is certain that nothing was
sent; whatever is left open is `Ambiguous` (D41, MSG-9).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from butler_contracts.errors import ErrorClass

__all__ = [
    "ACCOUNT_REFUSED",
    "Ambiguous",
    "Deferred",
    "Failure",
    "ProviderOutcome",
    "Refused",
    "Sent",
    "Throttled",
    "Unreachable",
]


@dataclass(frozen=True, slots=True)
class Failure:
    """The class, the text for the person and whether another try can help."""

    error_class: ErrorClass
    message: str
    retryable: bool


@dataclass(frozen=True, slots=True)
class Sent:
    """The provider took it; `response` holds what it said, without the content."""

    provider_delivery_id: str
    response: Mapping[str, Any] = field(default_factory=dict)


ACCOUNT_REFUSED: Final[Mapping[str, Any]] = {"fault": "unauthorized"}
"""The `response` of a provider that knows neither the token nor the password: no delivery of the channel can go."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Certainly not sent; `answered` where the provider said so, False where it fell silent or the line broke."""

    failure: Failure
    response: Mapping[str, Any] = field(default_factory=dict)
    answered: bool = True
    no_such_recipient: str | None = None
    """What the provider said, where it says that there is no such address, for good; None for anything else."""
    files: tuple[int, ...] = ()
    """The files that the refused call carried, by number, where the same without them may well be taken."""


@dataclass(frozen=True, slots=True)
class Throttled:
    """Certainly not sent: the provider asks for a pause of `retry_after_s`, which consumes no attempt (D43)."""

    retry_after_s: float


@dataclass(frozen=True, slots=True)
class Deferred:
    """Certainly not sent: the provider says "later" without saying when, which consumes no attempt (D87)."""

    failure: Failure


@dataclass(frozen=True, slots=True)
class Unreachable:
    """Certainly not sent: no connection to the provider was made, so no attempt was made either."""

    failure: Failure


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """The request went out and no answer came back that tells its effect: it may have been sent."""

    failure: Failure


ProviderOutcome = Sent | Refused | Deferred | Throttled | Unreachable | Ambiguous
