"""The week: its sittings follow one another, and a mistake in one is named."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bench.useful.sittings import WEEK, load_week, sitting_home


def test_the_sittings_follow_one_another_over_the_change_of_the_clocks() -> None:
    week = load_week()
    moments = [sitting_home(sitting).now for sitting in week]
    assert moments == sorted(moments)
    assert {moment.utcoffset() for moment in moments} == {moments[0].utcoffset(), moments[-1].utcoffset()}
    assert moments[0].utcoffset() != moments[-1].utcoffset()
    assert {message.via for sitting in week for message in sitting.messages} >= {"mail", "api"}
    assert {message.by or sitting.by for sitting in week for message in sitting.messages} >= {"nora", "sven"}
    assert sum(len(sitting.rings) for sitting in week) >= 3


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("to: nora", "to: norah", "norah"),
        ("at: 2027-03-23T07:59:40", "at: 2027-03-28T07:59:40", "follow one another"),
        ("by: sven", "by: sveen", "sveen"),
    ],
)
def test_a_mistake_in_a_sitting_is_named(tmp_path: Path, old: str, new: str, named: str) -> None:
    folder = shutil.copytree(WEEK, tmp_path / "week")
    file = folder / "2-tuesday-morning.yaml"
    file.write_text(file.read_text("utf-8").replace(old, new, 1), "utf-8")
    with pytest.raises(ValueError, match=named):
        load_week(folder)
