"""What a session may cost, enforced while it runs, and the ledger in which days are shared (SWB-33.1, D59).

Invariants: nothing is asked of a model that could cost more than is left, whatever it answers; what may have been
billed is charged. The ledger itself is Switchboard's (ADR 0066).
"""

from butler_kit.runtime.budget.account import Account
from butler_kit.runtime.budget.exhausted import BudgetExhausted, out_of_time
from butler_kit.runtime.budget.ledger import Ledger, LedgerAway
from butler_kit.runtime.budget.meter import Meter, Tokens
from butler_kit.runtime.budget.spending import Spending, SpendingMetrics
from butler_kit.runtime.budget.terms import Price, SessionBudget, Terms

__all__ = [
    "Account",
    "BudgetExhausted",
    "Ledger",
    "LedgerAway",
    "Meter",
    "Price",
    "SessionBudget",
    "Spending",
    "SpendingMetrics",
    "Terms",
    "Tokens",
    "out_of_time",
]
