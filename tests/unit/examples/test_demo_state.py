"""What `make demo` keeps of an earlier run."""

from argparse import Namespace
from pathlib import Path

import pytest

from butler_cli.local.state import StateDir, SupervisorLock
from examples.demo import run
from examples.demo.household import DemoFailed, only_one, start_afresh


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """A state directory after a demo."""
    StateDir.at(tmp_path).create()
    for name in (
        "pg/data/base",
        "providers/telegram.json",
        "run/connectors/mail/cursor.json",
        "keys/jwks.json",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("earlier")
    return tmp_path


def test_a_demo_begins_with_an_empty_household(earlier: Path) -> None:
    start_afresh(earlier)
    assert not any((earlier / name).exists() for name in ("pg", "providers", "run"))
    assert (earlier / "keys" / "jwks.json").read_text() == "earlier"


def test_a_household_that_is_up_is_not_touched(earlier: Path) -> None:
    lock = SupervisorLock(StateDir.at(earlier))
    try:
        with pytest.raises(DemoFailed, match=r"is already up \(process \d+\); `.venv/bin/butlers down"):
            start_afresh(earlier)
    finally:
        lock.release()
    assert (earlier / "pg" / "data" / "base").read_text() == "earlier"


@pytest.mark.parametrize("stay", [True, False], ids=["make run", "make demo"])
async def test_a_second_start_in_the_same_moment_changes_nothing_of_the_first(
    tmp_path: Path, stay: bool
) -> None:
    state = tmp_path / ("run" if stay else "demo")
    with only_one(state):
        (state / "manifests").mkdir()
        (state / "manifests" / "connectors.yaml").write_text("the first one's")
        with pytest.raises(DemoFailed, match="is already up, or just starting"):
            await run._run(Namespace(state=tmp_path, stay=stay, model=False, empty=False))
        assert [path.name for path in (state / "manifests").iterdir()] == ["connectors.yaml"]
        assert (state / "manifests" / "connectors.yaml").read_text() == "the first one's"
    with only_one(state):
        pass
