"""What a butler says that one thing is, as data: two claims of one subject with other values contradict (SWB-29.1).

A claim goes in `result.claims` of a terminal `route_response.v1`. Who claims nothing contradicts nobody.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field, TypeAdapter, ValidationError

from butler_contracts.base import TolerantModel
from butler_contracts.language import Language
from butler_contracts.text import STORABLE

__all__ = ["CLAIMS_MAX", "SAID_MAX", "ClaimV1", "claims_in", "claims_of"]

CLAIMS_MAX: Final = 8
SAID_MAX: Final = 300
_Words = Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S"), STORABLE]


class ClaimV1(TolerantModel):
    """What `subject` is to this butler. Case and blanks tell neither subjects nor values apart.

    `said` is the value in words for whoever wrote, in `language`. Of what is not `decidable` none is preferred to
    another, whatever precedence its butler has: a dose.
    """

    subject: _Words
    value: _Words
    said: Annotated[str, Field(min_length=1, max_length=SAID_MAX, pattern=r"\S"), STORABLE] | None = None
    language: Language | None = None
    decidable: bool = True

    @property
    def about(self) -> str:
        """What it is compared by."""
        return _plain(self.subject)

    @property
    def has(self) -> str:
        """What is compared."""
        return _plain(self.value)


_CLAIMS: Final = TypeAdapter(Annotated[tuple[ClaimV1, ...], Field(max_length=CLAIMS_MAX)])


def claims_in(result: dict[str, Any]) -> tuple[ClaimV1, ...]:
    """The claims of a result, none where it makes none. Raises pydantic's `ValidationError`."""
    given = result.get("claims")
    return () if given is None else _CLAIMS.validate_python(given)


def claims_of(response: dict[str, Any] | None) -> tuple[ClaimV1, ...]:
    """The claims of a response as it is stored; of what cannot be read there are none."""
    result = (response or {}).get("result")
    try:
        return claims_in(result) if isinstance(result, dict) else ()
    except ValidationError:
        return ()


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
