"""Quantities as Kubernetes writes them: `64Mi`, `0.5`, `100m`; compared by what they are worth, not by spelling."""

from __future__ import annotations

import re
from decimal import ROUND_CEILING, Decimal
from typing import Annotated, Final

from pydantic import AfterValidator, Field

__all__ = ["Bytes", "Quantity", "amount", "canonical"]

_FORM: Final = r"^[0-9]{1,15}(\.[0-9]{1,9})?(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$"
_STORED: Final = r"^[0-9]{1,15}(\.[0-9]{1,9})?(k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$"
_NONE: Final = "{!r} is no quantity; expected a number with a unit, such as 100m or 256Mi"
_FACTORS: Final = {
    "": Decimal(1),
    "n": Decimal("1e-9"),
    "u": Decimal("1e-6"),
    "m": Decimal("1e-3"),
    **{unit: Decimal(1000) ** power for power, unit in enumerate(("k", "M", "G", "T", "P", "E"), start=1)},
    **{
        f"{unit}i": Decimal(1024) ** power
        for power, unit in enumerate(("K", "M", "G", "T", "P", "E"), start=1)
    },
}


def amount(quantity: int | str) -> Decimal:
    """What a quantity is worth. Raises `ValueError` for what is none."""
    matched = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([a-zA-Z]*)", str(quantity))
    if matched is None or matched[2] not in _FACTORS:
        raise ValueError(_NONE.format(quantity))
    return Decimal(matched[1]) * _FACTORS[matched[2]]


def canonical(quantity: int | str) -> str:
    """The spelling in which the API server stores it, so that a look at what is stored finds no difference."""
    worth = amount(quantity)
    if str(quantity).endswith("i") and worth >= 1024:
        return _divided(_whole(worth), 1024, ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"))
    return _divided(_whole(worth * 1_000_000_000), 1000, ("n", "u", "m", "", "k", "M", "G", "T", "P", "E"))


def _whole(value: Decimal) -> int:
    return int(value.to_integral_value(ROUND_CEILING))


def _divided(number: int, base: int, units: tuple[str, ...]) -> str:
    power = 0
    while number and number % base == 0 and power < len(units) - 1:
        number, power = number // base, power + 1
    return f"{number}{units[power]}" if number else "0"


def _formed(quantity: int | str) -> int | str:
    if isinstance(quantity, int) and quantity < 0:
        raise ValueError("expected no negative number")
    if isinstance(quantity, str) and re.search(_FORM, quantity) is None:
        raise ValueError(_NONE.format(quantity))
    return quantity


Quantity = Annotated[
    int | str,
    AfterValidator(_formed),
    Field(json_schema_extra={"pattern": _FORM, "maxLength": 30}),
]
"""A number alone counts whole cores or bytes."""
Bytes = Annotated[str, Field(pattern=_STORED, max_length=30)]
"""A size of a volume, with its unit."""
