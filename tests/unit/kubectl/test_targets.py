"""What an id that was found means as a target, and when it is not what was written."""

from __future__ import annotations

from typing import Any, cast

import pytest

from butler_cli.client.dead_letters import Target
from butler_cli.errors import UserError
from butler_kubectl import targets
from butler_kubectl.targets import Wanted, id_of

LETTER = "019ca8d9-0b40-7000-8000-000000000001"
NOBODY = cast("Any", None)


@pytest.fixture
def means(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that the household was asked about; each means a dead letter of Messenger's."""
    asked: list[str] = []

    def target_of(_household: object, text: str) -> Target:
        asked.append(text)
        return Target("messenger", f"/dead-letters/{LETTER}", "reply by telegram")

    monkeypatch.setattr(targets, "target_of", target_of)
    return asked


@pytest.mark.parametrize("text", ["019ca8d9", "dead-letter/019ca8d9", "request/019ca8d9"])
def test_an_id_or_its_beginning_means_the_one_thing_that_waits(means: list[str], text: str) -> None:
    assert id_of(NOBODY, text) == Wanted("DeadLetter", LETTER)
    assert means == ["019ca8d9"]


def test_an_id_that_is_another_thing_than_was_written_is_refused(means: list[str]) -> None:
    with pytest.raises(UserError, match=f"delivery/019ca8d9 is no delivery; it means dead-letter/{LETTER}"):
        id_of(NOBODY, "delivery/019ca8d9")
