"""The words that join what states something of its own to what stands before it: EN, DE, FR, ES, folded."""

from __future__ import annotations

from typing import Final

__all__ = ["AND", "ANDS"]

AND: Final = (
    r"(?:and|but|then|also|plus|und|aber|dann|danach|anschliessend|et|mais|puis|ensuite|y|pero|luego|despues)"
)
"""One of them, as a pattern."""
ANDS: Final = rf"(?:{AND}\s+){{1,2}}"
"""One or two and the space behind them: "and then"."""
