"""An id means a dead letter, a request or a delivery; more than one thing is never guessed at."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest

from butler_cli.client import alike as alike_letters
from butler_cli.client import dead_letters
from butler_cli.client.alike import alike, decide_on_all
from butler_cli.client.dead_letters import Target, target_of
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
    for module in (dead_letters, alike_letters):
        monkeypatch.setattr(module, "OpsClient", answering(held))
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


def blocked(number: int, *, state: str = "open", message: str = "bot was blocked") -> dict[str, Any]:
    own_id = f"cccccccc-0000-4000-8000-00000000000{number}"
    failed = {"error_class": "validation_error", "error_message": message}
    return {**REPLY_LETTER, "dead_letter_id": own_id, "state": state, **failed}


HERE = cast(RunningHousehold, SimpleNamespace(hints=LOCAL))


def test_those_alike_are_the_open_ones_of_the_same_service_and_reason(pages: Pages) -> None:
    other = blocked(4, message="chat not found")
    pages["messenger"]["dead-letters"] = [blocked(1), blocked(2), blocked(3, state="discarded"), other]
    pages["switchboard"]["dead-letters"][0] |= {
        "error_class": "validation_error",
        "error_message": "bot was blocked",
    }
    asked = target_of(HERE, blocked(1)["dead_letter_id"])
    ids = [one.path.rpartition("-")[2] for one in alike(HERE, asked)]
    assert ids == ["000000000001", "000000000002"]


def test_what_is_no_dead_letter_has_none_alike(pages: Pages) -> None:
    with pytest.raises(UserError, match="no dead letter"):
        alike(HERE, target_of(HERE, DELIVERY))


def test_one_that_is_refused_stops_no_other_and_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def act(_: object, target: Target, verb: str, body: Mapping[str, Any]) -> dict[str, Any]:
        if target.path.endswith("1"):
            raise UserError("it may have arrived")
        return {"dead_letter_id": target.path, "verb": verb, **body}

    monkeypatch.setattr(alike_letters, "act_on", act)
    targets = [Target("messenger", f"/dead-letters/{number}", "reply by telegram") for number in range(3)]
    decided = decide_on_all(HERE, targets, "replay", {"reason": "unblocked"})
    assert [one["dead_letter_id"] for one in decided.done] == ["/dead-letters/0", "/dead-letters/2"]
    with pytest.raises(UserError, match="1 of 3 were refused: it may have arrived"):
        decided.check()
