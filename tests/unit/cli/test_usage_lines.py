"""What usage costs, in a table: by the owner's price, about by a public list, or not known."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from rich.console import Console

from butler_cli.output.lists import usage

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def used(microcents: int, *, priced: bool) -> dict[str, Any]:
    return {
        "day": "2026-03-01", "butler": "finance", "model": "m", "person": None, "sessions": 1,
        "input_tokens": 10, "output_tokens": 2, "microcents": microcents, "priced": priced,
    }  # fmt: skip


def costs(found: Sequence[dict[str, Any]]) -> list[str]:
    console = Console(file=io.StringIO(), width=120, color_system=None)
    console.print(usage.table_of(found, now=NOW))
    assert isinstance(console.file, io.StringIO)
    return [line.split()[-1] for line in console.file.getvalue().splitlines()[1:]]


OWN, FREE, LISTED = used(1_250_000, priced=True), used(0, priced=True), used(500_000, priced=False)
UNKNOWN = used(0, priced=False)


@pytest.mark.spec("SWB-33.1")
@pytest.mark.parametrize(
    ("found", "shown"),
    [
        ([OWN, FREE], ["1.2500", "0.0000", "1.2500"]),
        ([OWN, UNKNOWN], ["1.2500", "?", "1.2500+"]),
        ([OWN, LISTED], ["1.2500", "~0.5000", "~1.7500"]),
        ([LISTED, UNKNOWN], ["~0.5000", "?", "~0.5000+"]),
    ],
)
def test_a_cost_by_a_public_list_is_marked_and_one_that_nobody_knows_stays_unknown(
    found: Sequence[dict[str, Any]], shown: list[str]
) -> None:
    assert costs(found) == shown
