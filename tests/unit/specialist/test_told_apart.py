"""What is said in a group of what was told apart: that it is there, or to ask there (ADR 0100)."""

from __future__ import annotations

from typing import Any

import pytest

from butler_contracts.notify import NotifyDelivery, NotifyRequestV1
from butler_specialist.store.model import Telling
from butler_specialist.store.tellings import telling_from, telling_to_wire
from butler_specialist.work.tellings import reported

DELIVERY = NotifyDelivery(intent="send", channel="telegram", message="71 kg", contact_id="x")


def told(response: dict[str, Any] | None) -> Telling:
    request = NotifyRequestV1(origin_butler="health", delivery=DELIVERY)
    return Telling("Ada", "", "en", request, response, aside=True)


@pytest.mark.parametrize(
    ("response", "said"),
    [
        ({"status": "ok", "state": "sent"}, "I have told you in our own chat."),
        ({"status": "ok", "state": "queued"}, "I have told you in our own chat."),
        ({"status": "ok", "state": "pending_approval"}, "Ask me in our own chat."),
        ({"status": "ok", "state": "pending_missing_identifier"}, "Ask me in our own chat."),
        ({"status": "error"}, "Ask me in our own chat."),
        (None, "Ask me in our own chat."),
    ],
)
def test_it_is_only_said_to_be_told_where_it_is_on_its_way(
    response: dict[str, Any] | None, said: str
) -> None:
    assert reported([told(response)]) == said


def test_it_is_kept_as_such_and_one_of_the_release_before_is_none() -> None:
    one = told(None)
    assert telling_from(telling_to_wire(one)) == one
    assert telling_from({**telling_to_wire(one), "aside": False}).aside is False
    before = {key: value for key, value in telling_to_wire(one).items() if key != "aside"}
    assert telling_from(before).aside is False
