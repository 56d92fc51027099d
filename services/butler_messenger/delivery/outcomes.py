"""The possible outcomes of a provider call, from which decisions are made.

Invariant: `Refused`, `Deferred`, `Throttled` and `Unreachable` are used only if it is certain that nothing was sent;
anything unclear is `Ambiguous` (D41, MSG-9).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from butler_contracts.errors import ErrorClass
from butler_contracts.text import storable

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
    """The class, the text for the person and whether another try can help.

    The text may repeat a provider's own words, in whatever encoding: what cannot be stored is replaced.
    """

    error_class: ErrorClass
    message: str
    retryable: bool

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", storable(self.message))


@dataclass(frozen=True, slots=True)
class Sent:
    """The provider took it; `response` holds what it said, without the content."""

    provider_delivery_id: str
    response: Mapping[str, Any] = field(default_factory=dict)


ACCOUNT_REFUSED: Final[Mapping[str, Any]] = {"fault": "unauthorized"}
"""The `response` of a provider that rejects the token or password: nothing can be sent on the channel."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Certainly not sent; `answered` is False if the provider fell silent or the connection broke."""

    failure: Failure
    response: Mapping[str, Any] = field(default_factory=dict)
    answered: bool = True
    no_such_recipient: str | None = None
    """The provider's words if they say that the address does not exist, for good; None otherwise."""
    files: tuple[int, ...] = ()
    """The numbers of the files in the refused call, if it may be accepted without them."""


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
