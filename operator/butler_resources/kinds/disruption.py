"""How many pods a drain may take: the budget of a butler with several replicas."""

from __future__ import annotations

import re
from typing import Annotated, ClassVar, Final

from pydantic import AfterValidator, Field

from butler_resources.kinds.base import ResourceModel
from butler_resources.kinds.rules import Rule

__all__ = ["DisruptionBudget"]

_PERCENT: Final = r"^(100|[0-9]{1,2})%$"


def _portion(value: int | str) -> int | str:
    whole = isinstance(value, int) and 0 <= value <= 50
    percent = isinstance(value, str) and re.search(_PERCENT, value) is not None
    if not whole and not percent:
        raise ValueError("expected a number of pods, at most 50, or a percentage such as 50%")
    return value


Portion = Annotated[
    int | str, AfterValidator(_portion), Field(json_schema_extra={"pattern": _PERCENT, "maxLength": 4})
]


class DisruptionBudget(ResourceModel):
    """Limit on the pods that a drain may evict at once. Applies from two replicas."""

    enabled: bool = Field(
        default=True, description="false creates no budget, so a drain may evict all pods at once."
    )
    min_available: Portion | None = Field(
        default=None, description="Pods that must stay available: a number or a percentage."
    )
    max_unavailable: Portion | None = Field(
        default=None, description="Pods that may be unavailable: a number or a percentage. Defaults to 1."
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="!has(self.minAvailable) || !has(self.maxUnavailable)",
            message="`minAvailable` and `maxUnavailable` are mutually exclusive; remove one",
            holds=lambda budget: budget.min_available is None or budget.max_unavailable is None,
        ),
    )
