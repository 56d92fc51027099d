"""Budgets of sessions, enforced while they run, and the ledger in which daily budgets are shared (SWB-33.1, D59).

Invariants: no question is sent to a model that could cost more than is left, whatever the answer; whatever may have
been billed is charged. A program that asks its model by itself is ended where its reports have used a budget up; it may
go over by what it asked until then (ADR 0119). The ledger itself is Switchboard's (ADR 0066).
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
