"""The settings that each household's Switchboard makes for all of its butlers, as last understood (D83).

Invariant: a Switchboard that is refused or gone changes nothing for the others; they keep the previous settings.
"""

from __future__ import annotations

from typing import Final

from pydantic import ValidationError

from butler_operator.control.observed import Observed
from butler_resources.kinds import Household

__all__ = ["Households"]

SWITCHBOARD: Final = "switchboard"
"""The only name of a household's Switchboard; another butler of that role is refused and sets nothing."""


class Households:
    """`of` returns what a namespace's butlers inherit; `tell` is called with every accepted Switchboard."""

    def __init__(self, observed: Observed) -> None:
        self._observed = observed
        self._known: dict[str, Household] = {}

    def of(self, namespace: str) -> Household:
        """Return a namespace's settings; at first those in its Switchboard's current manifest."""
        if namespace not in self._known:
            self._known[namespace] = self._written(namespace)
        return self._known[namespace]

    def tell(self, namespace: str, household: Household | None) -> bool:
        """Record an accepted Switchboard's settings; return whether the others must be reconciled."""
        before, now = self.of(namespace), household or Household()
        self._known[namespace] = now
        return before != now

    def _written(self, namespace: str) -> Household:
        body = self._observed.get("Butler", namespace, SWITCHBOARD)
        said = (body or {}).get("spec", {}).get("household")
        try:
            return Household.model_validate(said or {})
        except ValidationError:
            return Household()  # its own status says what is wrong
