"""The webhook connector over HTTP, with a scripted Switchboard behind it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import httpx
import pytest

from tests.integration.connectors.fake_switchboard import FakeSwitchboard
from tests.integration.connectors.running import connector
from tests.support.loopback import free_port

ADA_TOKEN, BEN_TOKEN = "token-of-ada-0123456789", "token-of-ben-0123456789"
ENDED_TOKEN = "token-of-cleo-012345678"
ENDED = f"cleo={ENDED_TOKEN};expires_at=2020-01-31"
ENDPOINT = "webhook:household"


def environment(switchboard: FakeSwitchboard, port: int) -> dict[str, str]:
    return {
        "CONNECTOR_TYPE": "webhook",
        "CONNECTOR_PROVIDER": "internal",
        "CONNECTOR_CHANNEL": "api",
        "CONNECTOR_ENDPOINT_IDENTITY": ENDPOINT,
        "SWITCHBOARD_MCP_URL": switchboard.sse_url,
        "BUTLERS_TOKEN_FILE": str(switchboard.token_file("webhook", ENDPOINT)),
        "WEBHOOK_PORT": str(port),
        "WEBHOOK_TOKENS": f"ada={ADA_TOKEN},ben={BEN_TOKEN};expires_at=9000-01-01,{ENDED}",
        "CONNECTOR_MAX_INFLIGHT": "1",
    }


@pytest.fixture
async def webhook(switchboard: FakeSwitchboard) -> AsyncIterator[httpx.AsyncClient]:
    port = free_port()
    env = environment(switchboard, port)
    base = f"http://127.0.0.1:{port}"
    async with connector(env), httpx.AsyncClient(base_url=base, trust_env=False, timeout=30) as client:
        yield client


async def post(
    webhook: httpx.AsyncClient, body: Any = None, *, token: str = ADA_TOKEN, key: str | None = None
) -> httpx.Response:
    headers = {"authorization": f"Bearer {token}"} | ({} if key is None else {"idempotency-key": key})
    return await webhook.post(
        "/v1/messages", json=body or {"text": "Buy milk", "sender": "ada"}, headers=headers
    )


@pytest.mark.spec("SWB-23.2")
async def test_a_post_is_accepted_and_carries_its_submitter(
    webhook: httpx.AsyncClient, switchboard: FakeSwitchboard
) -> None:
    body = {"text": "Flight is late", "sender": "ada", "thread": "trip", "tier": "high_priority"}
    answer = await post(webhook, body, key="k-1")
    assert answer.status_code == 202
    assert answer.json()["status"] == "accepted"
    assert UUID(answer.json()["request_id"]).version == 7
    assert answer.json()["duplicate"] is False
    (envelope,) = switchboard.envelopes
    assert envelope.payload.raw == {
        "text": "Flight is late",
        "sender": "ada",
        "thread": "trip",
        "submitter": "ada",
    }
    assert envelope.control.policy_tier == "interactive"
    assert envelope.event.external_thread_id == "trip"


@pytest.mark.spec("SWB-23.2")
async def test_the_same_key_of_one_submitter_is_one_request_and_of_two_are_two(
    webhook: httpx.AsyncClient,
) -> None:
    first, again = await post(webhook, key="k"), await post(webhook, key="k")
    other = await post(webhook, key="k", token=BEN_TOKEN)
    assert again.json() == {**first.json(), "duplicate": True}
    assert other.json()["request_id"] != first.json()["request_id"]


async def test_a_token_that_has_ended_opens_nothing_and_its_holder_is_told(
    webhook: httpx.AsyncClient, switchboard: FakeSwitchboard
) -> None:
    posted = await post(webhook, token=ENDED_TOKEN)
    read = await webhook.get(
        f"/v1/messages/{UUID(int=1)}", headers={"authorization": f"Bearer {ENDED_TOKEN}"}
    )
    for refused in (posted, read):
        assert refused.status_code == 401
        assert "the token of 'cleo' expired at 2020-01-31" in refused.json()["error"]["message"]
    assert switchboard.envelopes == []
    assert (await post(webhook, token=BEN_TOKEN)).status_code == 202


async def test_without_a_key_each_post_is_a_message_of_its_own(
    webhook: httpx.AsyncClient, switchboard: FakeSwitchboard
) -> None:
    coffee = {"text": "Paid 2 EUR for coffee", "sender": "ada"}
    answers = [
        await post(webhook, coffee),
        await post(webhook, coffee),
        await post(webhook, coffee, token=BEN_TOKEN),
        await post(webhook, {**coffee, "thread": "another"}),
    ]
    assert [answer.json()["duplicate"] for answer in answers] == [False] * 4
    assert len({answer.json()["request_id"] for answer in answers}) == 4
    assert len(switchboard.envelopes) == 4


async def test_a_submission_that_is_repeated_because_its_answer_was_lost_is_one_message(
    webhook: httpx.AsyncClient, switchboard: FakeSwitchboard
) -> None:
    switchboard.script.append("unavailable")
    assert (await post(webhook)).status_code == 503
    assert (await post(webhook)).status_code == 202
    first, second = (one.event.external_event_id for one in switchboard.submissions)
    assert first != second
    assert all(event_id.startswith("ada:") for event_id in (first, second))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"sender": "ada"}, "text"),
        ({"text": " ", "sender": "ada"}, "text: is empty"),
        ({"text": "x", "sender": "ada", "colour": "red"}, "colour"),
        ({"text": "x", "sender": "ada", "tier": "now"}, "tier"),
        ({"text": "x\u0000", "sender": "ada"}, "NUL"),
        ({"text": 5, "sender": "ada"}, "text"),
        ({"text": "x" * 70_000, "sender": "ada"}, "text"),
        ([1], "object"),
    ],
)
async def test_a_wrong_body_is_refused_with_the_field_that_is_wrong(
    webhook: httpx.AsyncClient, switchboard: FakeSwitchboard, body: Any, words: str
) -> None:
    answer = await post(webhook, body)
    assert answer.status_code == 400
    assert words in answer.json()["error"]["message"]
    assert not switchboard.submissions


async def test_wrong_tokens_types_and_sizes_are_refused(
    webhook: httpx.AsyncClient, switchboard: FakeSwitchboard
) -> None:
    assert (await post(webhook, token="not-a-token-at-all")).status_code == 401
    assert (await webhook.post("/v1/messages", json={"text": "x", "sender": "a"})).status_code == 401
    headers = {"authorization": f"Bearer {ADA_TOKEN}"}
    assert (await webhook.post("/v1/messages", data={"text": "x"}, headers=headers)).status_code == 415
    json_headers = headers | {"content-type": "application/json"}
    assert (
        await webhook.post("/v1/messages", content=b"x" * 600_000, headers=json_headers)
    ).status_code == 413
    assert (await webhook.post("/v1/messages", content=b"{", headers=json_headers)).status_code == 400
    assert (await webhook.get("/v1/messages", headers=headers)).status_code == 405
    assert not switchboard.submissions


async def test_a_stranger_is_refused_before_his_body_is_read(webhook: httpx.AsyncClient) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", webhook.base_url.port)
    head = (
        "POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 100000\r\n\r\n"
    )
    writer.write(head.encode())
    async with asyncio.timeout(10):
        assert (await reader.readline()).startswith(b"HTTP/1.1 401 ")
    writer.close()


@pytest.mark.parametrize(
    ("step", "seconds"), [("overload", 1), ("unavailable", 5), ("internal", 5), ("forbidden", 5)]
)
async def test_what_is_not_taken_is_answered_503_and_not_kept(
    webhook: httpx.AsyncClient, switchboard: FakeSwitchboard, step: str, seconds: int
) -> None:
    switchboard.script.append(step)
    answer = await post(webhook)
    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) == seconds
    assert (await post(webhook)).json()["duplicate"] is False


@pytest.mark.parametrize("key", [None, "k-7"])
async def test_a_post_that_may_have_been_taken_is_one_message_when_it_is_repeated_as_the_answer_says(
    webhook: httpx.AsyncClient, switchboard: FakeSwitchboard, key: str | None
) -> None:
    switchboard.script.append("accept-and-break")
    unknown = await post(webhook, key=key)
    assert unknown.status_code == 503
    assert "whether the message was accepted is not known" in unknown.json()["error"]["message"]
    named = unknown.headers["idempotency-key"]
    assert key in (None, named)
    again = await post(webhook, key=named)
    assert (again.status_code, again.json()["duplicate"]) == (202, True)
    assert len(switchboard.envelopes) == 1


@pytest.mark.parametrize("step", ["overload", "forbidden"])
async def test_a_post_that_was_certainly_not_taken_is_answered_so(
    webhook: httpx.AsyncClient, switchboard: FakeSwitchboard, step: str
) -> None:
    switchboard.script.append(step)
    refused = await post(webhook)
    assert refused.status_code == 503
    assert "the message was not accepted now" in refused.json()["error"]["message"]
    again = await post(webhook, key=refused.headers["idempotency-key"])
    assert (again.status_code, again.json()["duplicate"]) == (202, False)


async def test_a_switchboard_that_is_away_is_503(
    webhook: httpx.AsyncClient, switchboard: FakeSwitchboard
) -> None:
    await switchboard.stop()
    answer = await post(webhook)
    assert answer.status_code == 503
    assert "retry-after" in answer.headers


async def test_past_the_bound_of_waiting_posts_the_answer_is_503(
    webhook: httpx.AsyncClient, switchboard: FakeSwitchboard
) -> None:
    switchboard.always = "hang"
    posts = [asyncio.create_task(post(webhook, {"text": f"n {n}", "sender": "ada"})) for n in range(8)]
    await switchboard.until(lambda s: s.in_flight == 1)
    # The other seven wait for their turn; there is a bound of eight.
    async with asyncio.timeout(90):
        while (refused := await post(webhook, {"text": "one more", "sender": "ada"})).status_code != 503:
            await asyncio.sleep(0.01)
    assert refused.headers["retry-after"] == "1"
    switchboard.always = None
    switchboard.release.set()
    assert {answer.status_code for answer in await asyncio.gather(*posts)} == {202}


async def test_a_request_is_shown_to_the_token_that_posted_it_only(
    webhook: httpx.AsyncClient, switchboard: FakeSwitchboard
) -> None:
    request_id = (await post(webhook)).json()["request_id"]
    view = {
        "request_id": request_id,
        "lifecycle_state": "parsed",
        "aggregated_reply": {"text": "Noted.", "parts": [{"butler": "general", "reply": "Noted."}]},
        "envelope": switchboard.envelopes[0].to_wire(),
    }
    switchboard.requests[request_id] = view
    path = f"/v1/messages/{request_id}"
    mine = await webhook.get(path, headers={"authorization": f"Bearer {ADA_TOKEN}"})
    assert mine.json() == {"request_id": request_id, "state": "parsed", "reply": "Noted."}
    assert (await webhook.get(path, headers={"authorization": f"Bearer {BEN_TOKEN}"})).status_code == 404
    assert (await webhook.get(path)).status_code == 401
    unknown = await webhook.get("/v1/messages/no-id", headers={"authorization": f"Bearer {ADA_TOKEN}"})
    assert unknown.status_code == 404


@pytest.mark.parametrize(
    ("text", "butlers", "told"),
    [
        ("[general] Noted.", ["general"], "Noted."),
        ("[general] Noted.\n\n[health] Noted.", ["general", "health"], None),
        ("[general] Noted.\n\nNot done: health (timeout)", ["general"], None),
        ("Not done: health (timeout)", [], None),
    ],
    ids=["one", "two", "one and a failure", "a failure"],
)
@pytest.mark.spec("MSG-6.3")
async def test_an_answer_says_who_speaks_where_it_is_not_one_butlers_alone(
    webhook: httpx.AsyncClient, switchboard: FakeSwitchboard, text: str, butlers: list[str], told: str | None
) -> None:
    request_id = (await post(webhook)).json()["request_id"]
    switchboard.requests[request_id] = {
        "request_id": request_id,
        "lifecycle_state": "parsed",
        "aggregated_reply": {
            "text": text,
            "parts": [{"butler": name, "reply": "Noted."} for name in butlers],
        },
        "envelope": switchboard.envelopes[0].to_wire(),
    }
    found = await webhook.get(f"/v1/messages/{request_id}", headers={"authorization": f"Bearer {ADA_TOKEN}"})
    assert found.json()["reply"] == (told or text)


async def test_what_a_proxy_says_of_the_client_is_believed_of_nobody(
    webhook: httpx.AsyncClient, switchboard: FakeSwitchboard
) -> None:
    forged = {
        "x-forwarded-for": "10.0.0.1",
        "x-forwarded-host": "elsewhere.example",
        "forwarded": "for=10.0.0.1;host=elsewhere.example;proto=https",
        "x-real-ip": "10.0.0.1",
    }
    body = {"text": "Buy milk", "sender": "ada"}
    unknown = await webhook.post("/v1/messages", json=body, headers=forged)
    assert unknown.status_code == 401
    known = await webhook.post(
        "/v1/messages", json=body, headers={**forged, "authorization": f"Bearer {ADA_TOKEN}"}
    )
    assert known.status_code == 202
    (submitted,) = switchboard.submissions
    assert "10.0.0.1" not in str(submitted)
    assert "elsewhere" not in str(submitted)
