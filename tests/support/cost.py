"""What work costs, in processor seconds, as far as a busy machine lets anybody know."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

__all__ = ["costs_less_than"]

LOOKS = 3


def costs_less_than(ceiling_s: float, work: Callable[[], object]) -> bool:
    """Whether `work` costs less, once in three looks: what others do on the same core can only make it seem dearer."""
    return any(_cost_s(work) < ceiling_s for _ in range(LOOKS))


def _cost_s(work: Callable[[], object]) -> float:
    began = process_time()
    work()
    return process_time() - began
