"""Words that join a new statement to the one before it: EN, DE, FR, ES, folded."""

from __future__ import annotations

from typing import Final

__all__ = ["AND", "ANDS"]

AND: Final = (
    r"(?:and|but|then|also|plus|und|aber|dann|danach|anschliessend|et|mais|puis|ensuite|y|pero|luego|despues)"
)
"""One of these words, as a pattern."""
ANDS: Final = rf"(?:{AND}\s+){{1,2}}"
"""One or two of them and the space behind: "and then"."""
