"""The Bot API server against the Bot API document (https://core.telegram.org/bots/api), over HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.telegram_api import (
    ALLOWED_REACTIONS,
    Fault,
    TelegramApiServer,
    callback_update,
    message_update,
    person,
)
from tests.support.telegram_api.state import UPDATE_LIFETIME_S

TOKEN = "7000001:household-test"
ADA = person(1001, "Ada", username="ada")
BEN = person(1002, "Ben")


class Caller:
    """Calls methods the way a plain client does and returns (status, body)."""

    def __init__(self, server: TelegramApiServer, client: httpx.AsyncClient) -> None:
        self.server = server
        self.client = client

    async def __call__(self, method: str, **parameters: Any) -> tuple[int, dict[str, Any]]:
        response = await self.client.post(f"{self.server.base_url}{TOKEN}/{method}", json=parameters)
        return response.status_code, response.json()

    async def result(self, method: str, **parameters: Any) -> Any:
        status, body = await self(method, **parameters)
        assert (status, body["ok"]) == (200, True), body
        return body["result"]


@pytest.fixture
async def api() -> AsyncIterator[TelegramApiServer]:
    async with TelegramApiServer(token=TOKEN) as server:
        yield server


@pytest.fixture
async def call(api: TelegramApiServer) -> AsyncIterator[Caller]:
    async with httpx.AsyncClient(timeout=15) as client:
        yield Caller(api, client)


async def test_get_me_describes_the_bot_of_the_token(call: Caller) -> None:
    """#getme: basic information about the bot as a User object; the id is part of the token."""
    me = await call.result("getMe")
    assert me["id"] == 7000001
    assert me["is_bot"] is True


async def test_a_wrong_token_is_unauthorized_and_an_unknown_method_is_not_found(
    api: TelegramApiServer, call: Caller
) -> None:
    """#making-requests: unsuccessful requests have ok false, error_code and description."""
    wrong = await call.client.post(f"{api.base_url}999:wrong/getMe")
    assert (wrong.status_code, wrong.json()) == (
        401,
        {"ok": False, "error_code": 401, "description": "Unauthorized"},
    )
    assert await call("danceATango") == (404, {"ok": False, "error_code": 404, "description": "Not Found"})


@pytest.mark.parametrize("method", ["getme", "GETME", "getMe"])
async def test_method_names_are_case_insensitive(call: Caller, method: str) -> None:
    """#making-requests: all methods in the Bot API are case-insensitive."""
    assert (await call.result(method))["is_bot"] is True


@pytest.mark.parametrize("transport", ["query", "form", "json", "multipart"])
async def test_parameters_are_read_from_all_four_transports(
    api: TelegramApiServer, call: Caller, transport: str
) -> None:
    """#making-requests: URL query string, urlencoded form, JSON, multipart form."""
    api.inject(message_update(ADA, text="hello"))
    url = f"{api.base_url}{TOKEN}/sendMessage"
    values = {"chat_id": "1001", "text": "Grüße 👋", "reply_parameters": json.dumps({"message_id": 1})}
    if transport == "query":
        response = await call.client.get(url, params=values)
    elif transport == "form":
        response = await call.client.post(url, data=values)
    elif transport == "json":
        response = await call.client.post(
            url, json={"chat_id": 1001, "text": "Grüße 👋", "reply_parameters": {"message_id": 1}}
        )
    else:
        response = await call.client.post(url, files={name: (None, value) for name, value in values.items()})
    assert response.json()["result"]["text"] == "Grüße 👋"
    assert api.sent[0]["reply_to_message_id"] == 1


async def test_updates_stay_until_an_offset_above_them_confirms_them(
    api: TelegramApiServer, call: Caller
) -> None:
    """#getupdates, offset: confirmed as soon as getUpdates is called with an offset higher than its id."""
    ids = [api.inject(message_update(ADA, text=str(number)))["update_id"] for number in range(3)]
    assert ids == [ids[0], ids[0] + 1, ids[0] + 2]
    for _ in range(2):
        assert [update["update_id"] for update in await call.result("getUpdates")] == ids
    assert [update["update_id"] for update in await call.result("getUpdates", offset=ids[1])] == ids[1:]
    assert [update["update_id"] for update in await call.result("getUpdates")] == ids[1:]
    assert await call.result("getUpdates", offset=ids[2] + 1) == []
    assert await call.result("getUpdates") == []


async def test_a_negative_offset_keeps_only_the_end_of_the_queue(
    api: TelegramApiServer, call: Caller
) -> None:
    """#getupdates, offset: -offset updates from the end of the queue; all previous ones are forgotten."""
    ids = [api.inject(message_update(ADA, text=str(number)))["update_id"] for number in range(4)]
    assert [update["update_id"] for update in await call.result("getUpdates", offset=-2)] == ids[2:]
    assert [update["update_id"] for update in await call.result("getUpdates")] == ids[2:]


async def test_limit_bounds_one_answer(api: TelegramApiServer, call: Caller) -> None:
    """#getupdates, limit: values between 1 and 100 are accepted, defaults to 100."""
    for number in range(120):
        api.inject(message_update(ADA, text=str(number)))
    assert len(await call.result("getUpdates")) == 100
    assert len(await call.result("getUpdates", limit=7)) == 7


async def test_a_long_poll_is_answered_by_the_next_update(api: TelegramApiServer, call: Caller) -> None:
    """#getupdates, timeout: seconds for long polling."""
    poll = asyncio.create_task(call.result("getUpdates", timeout=10))
    await api.until(lambda api: api.polling)
    update = api.inject(message_update(ADA, text="now"))
    assert await poll == [update]


async def test_a_second_poll_ends_the_first_with_a_conflict(api: TelegramApiServer, call: Caller) -> None:
    """One poller per bot: the newer request terminates the older with 409 (tdlib/telegram-bot-api)."""
    first = asyncio.create_task(call("getUpdates", timeout=10))
    await api.until(lambda api: api.polling)
    assert await call("getUpdates") == (200, {"ok": True, "result": []})
    status, body = await first
    assert (status, body["error_code"]) == (409, 409)
    assert body["description"].startswith("Conflict: terminated by other getUpdates request")


async def test_allowed_updates_hold_for_later_updates_and_are_remembered(
    api: TelegramApiServer, call: Caller
) -> None:
    """#getupdates, allowed_updates: not for updates created before the call; the previous setting stays."""
    before = api.inject({"poll_answer": {"poll_id": "1", "user": ADA, "option_ids": [0]}})
    got = await call.result("getUpdates", allowed_updates=["message"])
    assert [update["update_id"] for update in got] == [before["update_id"]]
    api.inject({"poll_answer": {"poll_id": "2", "user": ADA, "option_ids": [0]}})
    kept = api.inject(message_update(ADA, text="kept"))
    got = await call.result("getUpdates", offset=before["update_id"] + 1)
    assert [update["update_id"] for update in got] == [kept["update_id"]]


async def test_reactions_of_others_come_only_when_asked_for(api: TelegramApiServer, call: Caller) -> None:
    """#getupdates: by default all types except chat_member, message_reaction, message_reaction_count."""
    reaction = {"message_reaction": {"chat": {"id": 1001, "type": "private"}, "message_id": 1, "date": 1}}
    api.inject(reaction)
    assert await call.result("getUpdates", allowed_updates=["message_reaction"]) == []
    asked_for = api.inject(reaction)
    assert await call.result("getUpdates") == [asked_for]


async def test_an_update_is_kept_for_a_day(call: Caller) -> None:
    """#getting-updates: updates are stored until the bot receives them, but not longer than 24 hours."""
    now = 1_000_000.0
    async with TelegramApiServer(token=TOKEN, clock=lambda: now) as server:
        caller = Caller(server, call.client)
        server.inject(message_update(ADA, text="old"))
        assert len(await caller.result("getUpdates")) == 1
        now += UPDATE_LIFETIME_S + 1
        assert await caller.result("getUpdates") == []


async def test_an_update_whose_confirmation_was_lost_comes_once_more(
    api: TelegramApiServer, call: Caller
) -> None:
    """What a poller sees after a crash between its work and its next offset; scripted by the control API."""
    update = api.inject(message_update(ADA, text="again"))
    offset = update["update_id"] + 1
    assert await call.result("getUpdates") == [update]
    assert await call.result("getUpdates", offset=offset) == []
    api.redeliver(update["update_id"])
    assert await call.result("getUpdates", offset=offset) == [update]
    assert await call.result("getUpdates", offset=offset) == []


async def test_send_message_returns_the_message_and_logs_it(api: TelegramApiServer, call: Caller) -> None:
    """#sendmessage: on success, the sent Message is returned."""
    api.inject(message_update(ADA, text="hello"))
    message = await call.result(
        "sendMessage", chat_id=1001, text="Noted.", reply_parameters={"message_id": 1}
    )
    assert (message["message_id"], message["chat"]["id"], message["text"]) == (2, 1001, "Noted.")
    assert message["from"]["is_bot"] is True
    assert message["reply_to_message"]["message_id"] == 1
    assert [(e["chat_id"], e["message_id"], e["text"], e["reply_to_message_id"]) for e in api.sent] == [
        (1001, 2, "Noted.", 1)
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [("", "message text is empty"), ("  \n", "message text is empty"), ("x" * 4097, "message is too long")],
)
async def test_text_must_have_1_to_4096_characters(
    api: TelegramApiServer, call: Caller, text: str, problem: str
) -> None:
    """#sendmessage, text: 1-4096 characters after entities parsing."""
    api.add_chat({"id": 1001, "type": "private", "first_name": "Ada"})
    assert await call("sendMessage", chat_id=1001, text=text) == (
        400,
        {"ok": False, "error_code": 400, "description": f"Bad Request: {problem}"},
    )
    assert (await call("sendMessage", chat_id=1001, text="x" * 4096))[0] == 200


async def test_html_is_parsed_before_it_is_counted_and_shown(api: TelegramApiServer, call: Caller) -> None:
    """#html-style, #messageentity: offsets and lengths in UTF-16 code units."""
    api.add_chat({"id": 1001, "type": "private", "first_name": "Ada"})
    message = await call.result("sendMessage", chat_id=1001, text="👋 <b>A &amp; B</b>", parse_mode="HTML")
    assert message["text"] == "👋 A & B"
    assert message["entities"] == [{"type": "bold", "offset": 3, "length": 5}]
    for broken in ("<b>open", "<blink>x</blink>", "x</b>"):
        status, body = await call("sendMessage", chat_id=1001, text=broken, parse_mode="HTML")
        assert (status, "can't parse entities" in body["description"]) == (400, True)


def entity(kind: str, offset: int, length: int, **more: Any) -> dict[str, Any]:
    return {"type": kind, "offset": offset, "length": length, **more}


async def test_entities_are_shown_as_they_were_sent(api: TelegramApiServer, call: Caller) -> None:
    """#messageentity: in UTF-16 code units; bold may hold and be in any other but pre and code."""
    api.add_chat({"id": 1001, "type": "private", "first_name": "Ada"})
    sent = [entity("blockquote", 0, 8), entity("bold", 3, 5), entity("italic", 3, 1), entity("code", 9, 1)]
    message = await call.result("sendMessage", chat_id=1001, text="👋 A & B c", entities=sent)
    assert message["entities"] == api.sent[-1]["entities"] == sent


@pytest.mark.parametrize(
    "broken",
    [
        [entity("bold", 1, 3)],
        [entity("bold", 0, 99)],
        [entity("bold", 3, 0)],
        [entity("blinking", 3, 1)],
        [entity("text_link", 3, 1, url="javascript:x")],
        [entity("bold", 3, 3), entity("italic", 4, 4)],
        [entity("bold", 3, 5), entity("code", 3, 1)],
        [entity("text_link", 3, 5, url="https://example.org"), entity("code", 3, 1)],
        [entity("bold", 3, 1)] * 101,
    ],
)
async def test_entities_that_break_a_rule_are_refused(
    api: TelegramApiServer, call: Caller, broken: list[dict[str, Any]]
) -> None:
    """#formatting-options; the public server mends or drops these."""
    api.add_chat({"id": 1001, "type": "private", "first_name": "Ada"})
    status, _ = await call("sendMessage", chat_id=1001, text="👋 A & B c", entities=broken)
    assert (status, api.sent) == (400, [])


async def test_a_reply_to_a_message_that_is_gone_needs_permission_to_go_without(
    api: TelegramApiServer, call: Caller
) -> None:
    """#replyparameters, allow_sending_without_reply; and the older parameter reply_to_message_id."""
    api.add_chat({"id": 1001, "type": "private", "first_name": "Ada"})
    refused = (
        400,
        {"ok": False, "error_code": 400, "description": "Bad Request: message to be replied not found"},
    )
    send = {"chat_id": 1001, "text": "late"}
    assert await call("sendMessage", **send, reply_parameters={"message_id": 77}) == refused
    assert await call("sendMessage", **send, reply_to_message_id=77) == refused
    lenient = {"message_id": 77, "allow_sending_without_reply": True}
    assert "reply_to_message" not in await call.result("sendMessage", **send, reply_parameters=lenient)


async def test_an_unknown_chat_and_a_person_who_blocked_the_bot(api: TelegramApiServer, call: Caller) -> None:
    """A bot cannot start a conversation; a user who blocked it is refused with 403."""
    assert await call("sendMessage", chat_id=4711, text="x") == (
        400,
        {"ok": False, "error_code": 400, "description": "Bad Request: chat not found"},
    )
    api.add_chat({"id": 1002, "type": "private", "first_name": "Ben"}, blocked=True)
    assert await call("sendMessage", chat_id=1002, text="x") == (
        403,
        {"ok": False, "error_code": 403, "description": "Forbidden: bot was blocked by the user"},
    )


async def test_a_reaction_replaces_the_earlier_one_and_an_empty_list_removes_it(
    api: TelegramApiServer, call: Caller
) -> None:
    """#setmessagereaction: bots can set up to one reaction per message; returns True on success."""
    api.inject(message_update(ADA, text="hello"))
    for reaction in (["👀"], ["👍"], []):
        wanted = [{"type": "emoji", "emoji": emoji} for emoji in reaction]
        assert await call.result("setMessageReaction", chat_id=1001, message_id=1, reaction=wanted) is True
        assert api.reaction(1001, 1) == (reaction[0] if reaction else None)
    assert [entry["reaction"] for entry in api.log] == [
        [{"type": "emoji", "emoji": "👀"}],
        [{"type": "emoji", "emoji": "👍"}],
        [],
    ]


@pytest.mark.parametrize(
    ("reaction", "problem"),
    [
        ([{"type": "emoji", "emoji": "✅"}], "REACTION_INVALID"),
        ([{"type": "emoji", "emoji": "✓"}], "REACTION_INVALID"),
        ([{"type": "custom_emoji", "custom_emoji_id": "5"}], "REACTION_INVALID"),
        ([{"type": "paid"}], "REACTION_INVALID"),
        (
            [{"type": "custom_emoji", "custom_emoji_id": "✅"}],
            'can\'t parse ReactionType: Field "custom_emoji_id" must be a valid Number',
        ),
        ([{"type": "star"}], "can't parse ReactionType: invalid reaction type specified"),
        ([{"type": "emoji", "emoji": "👀"}, {"type": "emoji", "emoji": "👍"}], "REACTIONS_TOO_MANY"),
    ],
)
async def test_a_reaction_outside_the_documented_list_is_refused(
    api: TelegramApiServer, call: Caller, reaction: list[dict[str, str]], problem: str
) -> None:
    """#reactiontypeemoji lists what may be set; bots can't use paid reactions."""
    api.inject(message_update(ADA, text="hello"))
    status, body = await call("setMessageReaction", chat_id=1001, message_id=1, reaction=reaction)
    assert (status, body["description"]) == (400, f"Bad Request: {problem}")
    assert api.log == []


def test_the_documented_list_has_73_emoji_and_those_that_we_use() -> None:
    """#reactiontypeemoji, counted without variation selectors."""
    assert len({emoji.replace("\ufe0f", "") for emoji in ALLOWED_REACTIONS}) == 73
    assert {"👀", "👍", "👾"} <= ALLOWED_REACTIONS
    assert not ALLOWED_REACTIONS & {"✅", "✓"}


async def test_a_reaction_needs_an_existing_message(api: TelegramApiServer, call: Caller) -> None:
    api.add_chat({"id": 1001, "type": "private", "first_name": "Ada"})
    status, body = await call(
        "setMessageReaction", chat_id=1001, message_id=5, reaction=[{"type": "emoji", "emoji": "👀"}]
    )
    assert (status, body["description"]) == (400, "Bad Request: message to react not found")


async def test_flood_control_names_the_seconds_to_wait(api: TelegramApiServer, call: Caller) -> None:
    """#responseparameters, retry_after: seconds left to wait before the request can be repeated."""
    api.add_chat({"id": 1001, "type": "private", "first_name": "Ada"})
    api.script(Fault("sendMessage", "status", status=429, retry_after_s=7))
    assert await call("sendMessage", chat_id=1001, text="x") == (
        429,
        {
            "ok": False,
            "error_code": 429,
            "description": "Too Many Requests: retry after 7",
            "parameters": {"retry_after": 7},
        },
    )
    assert api.sent == []
    assert (await call("sendMessage", chat_id=1001, text="x"))[0] == 200


@pytest.mark.parametrize(("applied", "sent"), [(True, 1), (False, 0)])
async def test_a_dropped_connection_gives_no_answer_whether_or_not_the_message_went_out(
    api: TelegramApiServer, call: Caller, applied: bool, sent: int
) -> None:
    api.add_chat({"id": 1001, "type": "private", "first_name": "Ada"})
    api.script(Fault("sendMessage", "drop", applied=applied))
    with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
        await call("sendMessage", chat_id=1001, text="x")
    assert len(api.sent) == sent


async def test_a_hanging_call_ends_when_the_faults_are_cleared(api: TelegramApiServer, call: Caller) -> None:
    api.script(Fault("getMe", "hang"))
    hanging = asyncio.create_task(call("getMe"))
    done, _ = await asyncio.wait({hanging}, timeout=0.2)
    assert not done
    api.clear_faults()
    with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
        await hanging


async def test_a_fault_for_one_chat_leaves_the_others_alone(api: TelegramApiServer, call: Caller) -> None:
    for user in (ADA, BEN):
        api.inject(message_update(user, text="hello"))
    api.script(Fault("sendMessage", "status", status=502, chat_id="1002"))
    assert (await call("sendMessage", chat_id=1001, text="x"))[0] == 200
    assert (await call("sendMessage", chat_id=1002, text="x"))[0] == 502


async def test_a_restarted_server_continues_where_it_was(call: Caller, tmp_path: Path) -> None:
    journal = tmp_path / "telegram.jsonl"
    async with TelegramApiServer(token=TOKEN, state_file=journal) as first:
        confirmed = first.inject(message_update(ADA, text="confirmed"))
        waiting = first.inject(message_update(ADA, text="waiting"))
        caller = Caller(first, call.client)
        await caller.result("getUpdates", offset=confirmed["update_id"] + 1)
        await caller.result("sendMessage", chat_id=1001, text="sent before")
        eyes = [{"type": "emoji", "emoji": "👀"}]
        await caller.result("setMessageReaction", chat_id=1001, message_id=1, reaction=eyes)
    with journal.open("a", encoding="utf-8") as file:
        file.write('{"change": "upd')
    async with TelegramApiServer(token=TOKEN, state_file=journal) as second:
        assert await Caller(second, call.client).result("getUpdates") == [waiting]
        assert [entry["text"] for entry in second.sent] == ["sent before"]
        assert second.reaction(1001, 1) == "👀"
        following = second.inject(message_update(ADA, text="next"))
        assert following["update_id"] == waiting["update_id"] + 1
        assert following["message"]["message_id"] == 4
    third = TelegramApiServer(token=TOKEN, state_file=journal)
    assert [queued.update for queued in third.state.queue] == [waiting, following]


async def test_the_control_api_injects_reads_the_log_and_scripts_faults(
    api: TelegramApiServer, call: Caller
) -> None:
    control = f"{api.url}/control"
    injected = (await call.client.post(f"{control}/updates", json=message_update(ADA, text="hi"))).json()
    assert injected["queued"] is True
    assert await call.result("getUpdates") == [injected["update"]]
    await call.result("sendMessage", chat_id=1001, text="one")
    await call.result("sendMessage", chat_id=1001, text="two")
    log = (await call.client.get(f"{control}/log", params={"since": 1})).json()["log"]
    assert [(entry["seq"], entry["text"]) for entry in log] == [(2, "two")]
    faults = await call.client.post(f"{control}/faults", json={"method": "getMe", "kind": "status"})
    assert faults.json() == {"faults": [{"method": "getMe", "kind": "status", "count": 1}]}
    assert (await call("getMe"))[0] == 500
    bad = await call.client.post(f"{control}/faults", json={"method": "getMe", "kind": "explode"})
    assert (bad.status_code, "expected one of status, drop, hang, slow" in bad.json()["error"]) == (400, True)
    state = (await call.client.get(f"{control}/state")).json()
    assert (state["log"], state["queued"]) == (2, [injected["update"]["update_id"]])


@pytest.mark.parametrize(
    "update", [{}, {"message": {"text": "no chat"}}, {"nonsense": {}}, {"message": {}, "poll": {}}]
)
async def test_an_update_that_telegram_could_not_send_is_refused(
    api: TelegramApiServer, call: Caller, update: dict[str, Any]
) -> None:
    """#update: at most one of the optional fields can be present."""
    assert (await call.client.post(f"{api.url}/control/updates", json=update)).status_code == 400


FORUM: dict[str, Any] = {"id": -1001, "type": "supergroup", "title": "Home", "is_forum": True}


async def test_a_message_goes_into_the_topic_that_message_thread_id_names(
    api: TelegramApiServer, call: Caller
) -> None:
    """#sendmessage, #message: message_thread_id is the topic, and the Message says that it is in one."""
    api.inject(message_update(ADA, chat=FORUM, text="hello", message_thread_id=7, is_topic_message=True))
    sent = await call.result("sendMessage", chat_id=-1001, text="hello", message_thread_id=7)
    assert (sent["message_thread_id"], sent["is_topic_message"]) == (7, True)
    general = await call.result("sendMessage", chat_id=-1001, text="to all")
    assert "message_thread_id" not in general
    assert [entry["message_thread_id"] for entry in api.sent] == [7, None]


@pytest.mark.parametrize("chat_id", [-1001, 1001])
async def test_a_topic_that_is_not_there_is_refused(
    api: TelegramApiServer, call: Caller, chat_id: int
) -> None:
    """#sendmessage: message_thread_id is for forum supergroups only."""
    api.inject(message_update(ADA, chat=FORUM, text="hello", message_thread_id=7, is_topic_message=True))
    api.inject(message_update(ADA, text="hello"))
    status, body = await call("sendMessage", chat_id=chat_id, text="hello", message_thread_id=8)
    assert (status, body["description"]) == (400, "Bad Request: message thread not found")
    assert api.sent == []


async def test_topics_survive_a_restart_of_the_server(tmp_path: Path) -> None:
    journal = tmp_path / "telegram.jsonl"
    update = message_update(ADA, chat=FORUM, text="hello", message_thread_id=7, is_topic_message=True)
    async with TelegramApiServer(token=TOKEN, state_file=journal) as first:
        first.inject(update)
    async with (
        TelegramApiServer(token=TOKEN, state_file=journal) as second,
        httpx.AsyncClient(timeout=60) as client,
    ):
        sent = await Caller(second, client).result(
            "sendMessage", chat_id=-1001, text="again", message_thread_id=7
        )
    assert sent["message_thread_id"] == 7


async def test_a_chat_action_is_for_a_chat_that_the_bot_knows(api: TelegramApiServer, call: Caller) -> None:
    """#sendchataction: True on success; refused like any message to that chat."""
    api.add_chat({"id": 1001, "type": "private", "first_name": "Ada"})
    assert await call.result("sendChatAction", chat_id=1001, action="typing") is True
    assert api.sent == []
    for chat_id, action in ((4711, "typing"), (1001, "dancing")):
        status, body = await call("sendChatAction", chat_id=chat_id, action=action)
        assert (status, body["ok"]) == (400, False)


def keyboard(*data: str) -> dict[str, Any]:
    return {
        "inline_keyboard": [
            [{"text": f"Button {number}", "callback_data": one}] for number, one in enumerate(data)
        ]
    }


async def test_a_message_keeps_its_inline_keyboard(api: TelegramApiServer, call: Caller) -> None:
    """#sendmessage, reply_markup; #inlinekeyboardbutton: callback_data of 1 to 64 bytes."""
    api.add_chat({"id": 1001, "type": "private", "first_name": "Ada"})
    markup = keyboard("a", "b" * 64)
    sent = await call.result("sendMessage", chat_id=1001, text="hello", reply_markup=json.dumps(markup))
    assert sent["reply_markup"] == markup
    assert api.sent[0]["reply_markup"] == markup


@pytest.mark.parametrize("data", ["", "b" * 65, "ä" * 33])
async def test_a_button_of_another_size_is_refused(api: TelegramApiServer, call: Caller, data: str) -> None:
    api.add_chat({"id": 1001, "type": "private", "first_name": "Ada"})
    status, body = await call("sendMessage", chat_id=1001, text="hello", reply_markup=keyboard(data))
    assert (status, body["description"]) == (400, "Bad Request: BUTTON_DATA_INVALID")
    assert api.sent == []


async def test_a_press_is_handed_out_once_and_acknowledged_once(api: TelegramApiServer, call: Caller) -> None:
    """#callbackquery, #answercallbackquery: the query has an id of its own; the bot acknowledges it by that."""
    api.add_chat({"id": 1001, "type": "private", "first_name": "Ada"})
    await call.result("sendMessage", chat_id=1001, text="hello", reply_markup=keyboard("a"))
    api.inject(callback_update(ADA, api.sent[0], "a"))
    [update] = await call.result("getUpdates", allowed_updates=["callback_query"])
    query = update["callback_query"]
    assert (query["data"], query["from"]["id"], query["message"]["message_id"]) == ("a", 1001, 1)
    assert await call.result("answerCallbackQuery", callback_query_id=query["id"]) is True
    status, body = await call("answerCallbackQuery", callback_query_id=query["id"])
    assert (status, body["description"]) == (
        400,
        "Bad Request: query is too old and response timeout expired or query ID is invalid",
    )
    assert api.answered == [query["id"]]
