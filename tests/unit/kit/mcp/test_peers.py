"""The checks before everything else: whose Host and Origin is accepted, how large a body may be."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from butler_kit.mcp.peers import BodyLimit, allowed_peers

PEERS = allowed_peers(["finance"])


def refusal(*, json_post: bool = False, **headers: str) -> int | None:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = PEERS.refusal(Headers(named), json_post=json_post)
    return answer.status_code if answer is not None else None


@pytest.mark.parametrize("host", ["127.0.0.1:40100", "localhost", "[::1]:1", "finance", "finance:8080"])
def test_loopback_and_the_own_names_are_accepted_on_any_port(host):
    assert refusal(host=host) is None
    assert refusal(host=host, origin=f"http://{host}") is None
    assert refusal(host=host, origin=f"https://{host}") is None


@pytest.mark.parametrize("host", ["", "evil.example", "financed", "finance.evil.example", "127.0.0.11:80"])
def test_another_host_is_misdirected(host):
    assert refusal(host=host) == 421
    assert refusal() == 421


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "ftp://finance", "http://finance.evil"])
def test_the_page_of_another_origin_is_refused(origin):
    assert refusal(host="finance", origin=origin) == 403


def test_a_post_that_has_to_be_json_says_so():
    assert refusal(json_post=True, host="finance", content_type="Application/JSON; charset=utf-8") is None
    assert refusal(json_post=True, host="finance", content_type="text/plain") == 400
    assert refusal(json_post=True, host="finance") == 400


async def served(messages: list[Message], **headers: str) -> tuple[int, list[Message]]:
    """The status of the answer, and what the application behind a limit of ten bytes was given."""
    given: list[Message] = []
    status: list[int] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        given.append(await receive())
        if given[-1].get("more_body"):
            given.append(await receive())
        await PlainTextResponse("ok")(scope, receive, send)

    async def receive() -> Message:
        return messages.pop(0)

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            status.append(message["status"])

    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope: dict[str, Any] = {"type": "http", "method": "POST", "headers": named}
    await BodyLimit(app, 10)(scope, receive, send)
    return status[0], given


def part(body: bytes, *, more: bool) -> Message:
    return {"type": "http.request", "body": body, "more_body": more}


async def test_a_body_in_parts_arrives_whole():
    status, given = await served([part(b"12345", more=True), part(b"67890", more=False)])
    assert (status, given) == (200, [part(b"1234567890", more=False)])


async def test_a_body_past_the_limit_is_refused_however_it_comes():
    assert (await served([part(b"12345678901", more=False)]))[0] == 413
    assert (await served([part(b"123456", more=True), part(b"78901", more=True)]))[0] == 413


@pytest.mark.parametrize("declared", ["11", "9" * 5000])
async def test_a_declared_size_past_the_limit_is_refused_unread(declared):
    messages = [part(b"", more=False)]
    assert await served(messages, content_length=declared) == (413, [])
    assert len(messages) == 1


async def test_a_client_that_leaves_is_told_of_after_what_it_sent():
    gone: Message = {"type": "http.disconnect"}
    assert (await served([part(b"123", more=True), gone]))[1] == [part(b"123", more=True), gone]
