"""An id means a dead letter, a request or a delivery; more than one thing is never guessed at."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest

from butler_cli.client import dead_letters
from butler_cli.client.dead_letters import target_of
from butler_cli.client.household import RunningHousehold
from butler_cli.client.ops import NotFound
from butler_cli.client.protocol import LOCAL
from butler_cli.errors import UserError

REQUEST = "01a20000-0000-7000-8000-000000000001"
OTHER = "01a20000-0000-7000-8000-000000000002"
PART = "aaaaaaaa-0000-4000-8000-000000000001"
REPLY = "bbbbbbbb-0000-4000-8000-000000000001"
DELIVERY = "01a30000-0000-7000-8000-000000000001"

PART_LETTER = {
    "dead_letter_id": PART, "request_id": REQUEST, "state": "open", "targets": ["finance"], "created_at": "1",
}  # fmt: skip
REPLY_LETTER = {
    "dead_letter_id": REPLY, "request_id": REQUEST, "delivery_id": DELIVERY, "state": "open", "intent": "reply",
    "channel": "email", "created_at": "2",
}  # fmt: skip

Pages = dict[str, dict[str, list[dict[str, Any]]]]


def answering(pages: Pages) -> type:
    """The ops API of both services over these dead letters, requests and deliveries."""

    class Ops:
        def __init__(self, _: object, service: str = "switchboard") -> None:
            self.held = pages[service]

        def __enter__(self) -> Ops:
            return self

        def __exit__(self, *_: object) -> None:
            return None

        def get(self, path: str, **query: object) -> Mapping[str, Any]:
            kind, _, own_id = path.removeprefix("/").partition("/")
            rows = self.held.get(kind, [])
            if own_id:
                found = [row for row in rows if own_id in (row.get("dead_letter_id"), row.get("id"))]
                if not found:
                    raise NotFound("not known")
                return found[0]
            state = {None: None, "all": None}.get(cast("str | None", query.get("state")), query.get("state"))
            wanted = {"request_id": query.get("request_id"), "state": state, "status": query.get("status")}
            chosen = [
                row
                for row in rows
                if all(value is None or row.get(key) == str(value) for key, value in wanted.items())
            ]
            return {kind.replace("-", "_"): chosen}

    return Ops


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> Pages:
    held: Pages = {
        "switchboard": {
            "dead-letters": [dict(PART_LETTER)],
            "requests": [{"id": REQUEST, "request_id": REQUEST}, {"id": OTHER, "request_id": OTHER}],
        },
        "messenger": {
            "dead-letters": [dict(REPLY_LETTER)],
            "deliveries": [
                {"id": DELIVERY, "delivery_id": DELIVERY, "request_id": REQUEST, "status": "failed"}
            ],
        },
    }
    monkeypatch.setattr(dead_letters, "OpsClient", answering(held))
    return held


def found(text: str) -> tuple[str, str]:
    target = target_of(cast(RunningHousehold, SimpleNamespace(hints=LOCAL)), text)
    return target.service, target.path


def refusal(text: str) -> str:
    with pytest.raises(UserError) as caught:
        found(text)
    return caught.value.message


@pytest.mark.parametrize("text", [PART, PART[:8], PART.upper()])
def test_a_dead_letter_is_found_by_its_id_or_its_beginning(pages: Pages, text: str) -> None:
    assert found(text) == ("switchboard", f"/dead-letters/{PART}")


def test_a_delivery_is_found_by_its_own_id(pages: Pages) -> None:
    assert found(DELIVERY) == ("messenger", f"/deliveries/{DELIVERY}")
    assert found(REPLY) == ("messenger", f"/dead-letters/{REPLY}")


def test_a_request_means_the_one_thing_of_it_that_waits(pages: Pages) -> None:
    pages["messenger"]["dead-letters"][0]["state"] = "replayed"
    assert found(REQUEST) == ("switchboard", f"/dead-letters/{PART}")


def test_a_request_with_several_names_them(pages: Pages) -> None:
    said = refusal(REQUEST)
    assert PART in said
    assert REPLY in said
    assert "name one" in said


def test_an_uncertain_delivery_of_a_request_is_something_that_waits(pages: Pages) -> None:
    for service in ("switchboard", "messenger"):
        pages[service]["dead-letters"] = []
    pages["messenger"]["deliveries"][0]["status"] = "uncertain"
    assert found(REQUEST) == ("messenger", f"/deliveries/{DELIVERY}")


def test_a_beginning_of_several_ids_is_refused_with_them(pages: Pages) -> None:
    said = refusal("01a20000")
    assert REQUEST in said
    assert OTHER in said
    assert "give more digits" in said


def test_what_is_closed_says_why(pages: Pages) -> None:
    for service in ("switchboard", "messenger"):
        pages[service]["dead-letters"][0] |= {
            "state": "replayed",
            "not_eligible_because": "it was replayed by ada",
        }
    assert "it was replayed by ada" in refusal(REQUEST)


def test_what_went_well_or_is_unknown_is_said(pages: Pages) -> None:
    assert "failed for good" in refusal(OTHER)
    assert "nothing here has the id" in refusal("00000000-0000-4000-8000-000000000009")
    assert "nothing recent begins with" in refusal("12345678")
    assert "is no id" in refusal("nonsense")
