"""Every fault point is reached in the code, and nothing else is reached (a typing error would never fire)."""

import re
from pathlib import Path

import pytest

from butler_kit.faults import points

ROOT = Path(__file__).parents[4]
PACKAGES = ("services/butler_switchboard", "services/butler_messenger", "services/butler_specialist",
            "services/butler_kit/queue", "services/butler_kit/operations", "connectors")  # fmt: skip
NAMES = {value: name for name, value in vars(points).items() if name.isupper() and isinstance(value, str)}


def reached_in_code() -> list[str]:
    found = []
    for package in PACKAGES:
        for file in (ROOT / package).rglob("*.py"):
            found += re.findall(r"\breached(?:_async)?\(\s*points\.(\w+)", file.read_text(encoding="utf-8"))
    return found


def test_the_table_holds_every_constant_once_and_says_what_it_keeps() -> None:
    names = [point.name for point in points.POINTS]
    assert sorted(names) == sorted(set(names))
    assert set(names) == {name for name in NAMES if "." in name}
    assert all(point.where and point.keeps for point in points.POINTS)


@pytest.mark.parametrize("name", [point.name for point in points.POINTS])
def test_a_point_is_reached_in_the_code(name: str) -> None:
    assert NAMES[name] in reached_in_code()


def test_only_points_of_the_table_are_reached() -> None:
    assert set(reached_in_code()) <= set(NAMES.values())
