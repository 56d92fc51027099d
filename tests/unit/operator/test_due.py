"""Whose turn it is: the namespace that runs least, then who waits longest; never all workers for one namespace."""

from __future__ import annotations

import pytest

from butler_operator.control.due import DueKeys
from butler_operator.reconcile.key import Key


def key(namespace: str, name: str) -> Key:
    return Key("Butler", namespace, name)


def due(*keys: Key, workers: int = 10) -> DueKeys:
    found = DueKeys(workers=workers)
    for since, one in enumerate(keys):
        found.add(one, float(since))
    return found


def taken(found: DueKeys, times: int) -> list[Key | None]:
    return [None if (one := found.take()) is None else one[0] for _ in range(times)]


def test_in_one_namespace_the_first_comes_first() -> None:
    keys = [key("home", name) for name in "abc"]
    found = due(*keys)
    assert (len(found), keys[1] in found, found.oldest()) == (3, True, 0.0)
    assert found.take() == (keys[0], 0.0)
    assert (len(found), keys[0] in found, found.oldest()) == (2, False, 1.0)
    assert taken(found, 3) == [*keys[1:], None]
    assert (len(found), found.oldest()) == (0, None)


def test_a_namespace_that_runs_less_comes_before_one_that_waits_longer() -> None:
    home, cabin = [key("home", name) for name in "abcd"], [key("cabin", name) for name in "xy"]
    found = due(*home, *cabin)
    assert taken(found, 6) == [home[0], cabin[0], home[1], cabin[1], home[2], home[3]]


def test_a_run_that_has_ended_counts_no_more() -> None:
    home, cabin = [key("home", name) for name in "abc"], [key("cabin", name) for name in "xy"]
    found = due(*home, *cabin)
    assert taken(found, 3) == [home[0], cabin[0], home[1]]
    found.ended(home[0])
    found.ended(home[1])
    assert taken(found, 2) == [home[2], cabin[1]]


@pytest.mark.parametrize(("workers", "most"), [(1, 1), (2, 1), (3, 2), (10, 9)])
def test_one_namespace_leaves_a_worker_where_there_are_several(workers: int, most: int) -> None:
    home = [key("home", str(number)) for number in range(20)]
    found = due(*home, workers=workers)
    assert taken(found, most + 1) == [*home[:most], None]
    found.add(key("cabin", "x"), 99.0)
    assert taken(found, 2) == [key("cabin", "x"), None]
    found.ended(home[0])
    assert taken(found, 2) == [home[most], None]
