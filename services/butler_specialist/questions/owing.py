"""Who owes whom, as the asker would say it (pure).

Invariant: "you" in a debt is its teller, so that nobody is told another's debt as their own.
"""

from __future__ import annotations

from typing import Final

from butler_specialist.store.model import Record
from butler_specialist.understanding.household import Whose, teller_key

__all__ = ["YOU", "sides"]

YOU: Final = "you"
"""In a record its teller; in an answer the asker."""


def sides(row: Record, whose: Whose) -> tuple[str, str]:
    """Return the debtor and the creditor of a debt."""
    debtor, creditor = str(row.details.get("debtor", "?")), str(row.details.get("creditor", YOU))
    return _called(debtor, row, whose), _called(creditor, row, whose)


def _called(name: str, row: Record, whose: Whose) -> str:
    teller = teller_key(row.contact_id, row.channel, row.sender)
    if name == YOU:
        return YOU if teller == whose.me else whose.names.get(teller, row.sender).split()[0]
    contact = whose.contact(name)
    return YOU if contact is not None and contact == whose.me else name
