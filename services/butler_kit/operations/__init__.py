"""Operators' actions, each done once (D4): the table `operation` of a service and what writes it."""

from butler_kit.operations.log import Acting, Auditor, Done, Effect, Operations
from butler_kit.operations.order import ActBody, Order, Refused, key_of, order_by

__all__ = [
    "ActBody",
    "Acting",
    "Auditor",
    "Done",
    "Effect",
    "Operations",
    "Order",
    "Refused",
    "key_of",
    "order_by",
]
