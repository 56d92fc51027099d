"""A lease id says which replica made it and in which of its lives."""

from hypothesis import given
from hypothesis import strategies as st

from butler_kit.queue.identity import LeaseIds

NAMES = st.text(min_size=1, max_size=30)


@given(NAMES)
def test_an_id_lies_in_the_range_of_its_replica_and_of_its_life(name: str) -> None:
    ids = LeaseIds(name)
    made = ids.new()
    first, last = ids.all_lives or (None, None)
    assert first is not None
    assert last is not None
    assert first <= made <= last
    assert ids.this_life[0] <= made <= ids.this_life[1]


@given(NAMES, NAMES)
def test_another_replica_or_life_is_told_apart(one: str, other: str) -> None:
    mine, theirs = LeaseIds(one), LeaseIds(other)
    made = theirs.new()
    assert not mine.this_life[0] <= made <= mine.this_life[1]
    first, last = mine.all_lives or (made, made)
    assert (first <= made <= last) == (one == other)


def test_a_replica_without_a_name_has_no_other_lives_and_ids_of_chance() -> None:
    ids = LeaseIds(None)
    assert ids.all_lives is None
    assert ids.new() != ids.new()
