"""A door that is unlocked once its owner has approved of it: every process, and people who answer (ADR 0101)."""

from __future__ import annotations

from pathlib import Path

import yaml

from tests.flow.household.test_own_butler import write_home
from tests.support.chats import Chats, button
from tests.support.household import RunningPlace, place, until
from tests.support.model_api import Answer, Asked, Call, ModelServer
from tests.support.telegram_api import callback_update, message_update, person
from tests.support.tool_server import LampServer, lamp_server

ADA, BEN, STRANGER = person(1001, "Ada"), person(1002, "Ben"), person(6666, "Marc")
ASK = "Unlock the front door please"
WAITS = "This waits for an approval and is not done yet: door.unlock (door: front, seconds: 20)."


def butler_model(asked: Asked) -> Answer:
    if asked.told:
        return Answer(calls=(Call.of("answer", text="I asked for it."),))
    return Answer(calls=(Call.of("door_unlock", door="front", seconds=20),))


def write_with_words(manifests: Path, model: ModelServer, url: str) -> None:
    """The example, its instructions in a ConfigMap among the manifests."""
    write_home(manifests, model, url)
    path = manifests / "home.yaml"
    document = yaml.safe_load(path.read_text("utf-8"))
    words = document["spec"].pop("instructions")
    document["spec"]["instructionsFrom"] = {"configMapRef": {"name": "home-words", "key": "home.md"}}
    config = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "home-words"},
        "data": {"home.md": words},
    }
    path.write_text(yaml.safe_dump_all([document, config], allow_unicode=True), encoding="utf-8")


async def asked(up: RunningPlace, chats: Chats) -> dict[str, object]:
    """Ben asks for the door: he is answered that it waits, and Ada, the owner, is asked."""
    up.providers.telegram.inject(message_update(BEN, text=ASK))
    first, second = await chats.next(), await chats.next()
    question, answer = (first, second) if "reply_markup" in first else (second, first)
    assert str(answer["text"]).endswith(WAITS)
    assert str(question["text"]).startswith(
        '[messenger] home wants to call door.unlock for Ben Example:\n\n| door: "front"\n| seconds: 20\n\n'
    )
    assert (answer["chat_id"], question["chat_id"]) == (BEN["id"], ADA["id"])
    return question


async def test_a_door_waits_for_its_owner_is_unlocked_once_and_who_asked_reads_what_became_of_it(
    tmp_path: Path,
) -> None:
    async with (
        ModelServer(butler_model) as model,
        place(tmp_path / "household") as made,
        lamp_server() as lamps,
    ):
        write_with_words(made.manifests, model, lamps.url)
        async with made.up() as up:
            await up.back({})
            chats = Chats(up.providers.telegram)
            await approved(up, chats, lamps)
            await denied(up, chats, lamps)
    assert any("You look after the lamps and the doors" in one.system for one in model.asked)


async def at_rest(up: RunningPlace) -> None:
    """Nothing is on its way: what a kill meets half sent would be told of as well."""

    async def sent() -> bool:
        return not await up.rows("SELECT FROM messenger.delivery_requests WHERE status <> 'sent'")

    await until(sent, what="everything is sent")


async def approved(up: RunningPlace, chats: Chats, lamps: LampServer) -> None:
    """A stranger's tap and another member's change nothing; Ada's counts, though two processes are killed around it."""
    question = await asked(up, chats)
    up.providers.telegram.inject(callback_update(STRANGER, question, button(question, "Approve")))
    refused = await chats.pressed(BEN, question, "Approve")
    assert refused == "This was asked of somebody else; nothing was changed."
    assert lamps.unlocked == []
    await at_rest(up)
    former = await up.kill("home", "messenger")
    up.providers.telegram.inject(callback_update(ADA, question, button(question, "Approve")))
    await up.back(former)
    told = [str((await chats.next())["text"]) for _ in range(2)]
    assert sorted("Approved: door.unlock is called, once." in one for one in told) == [False, True]
    [done] = [one for one in told if "approved of it" in one]
    assert done == (
        "[home] Ada Example approved of it, and it was done: door.unlock (door: front, seconds: 20). "
        "door says: “the front door is unlocked for 20 seconds”"
    )
    assert "it was approved by Ada Example" in await chats.pressed(ADA, question, "Deny")
    assert lamps.unlocked == [("front", 20)]
    [request] = await up.rows("SELECT DISTINCT request_id FROM home.held_calls")
    traced = (await up.place.verb("trace", str(request["request_id"]))).stdout
    for words in (
        "waits for an approval to call door.unlock",
        "door.unlock was approved by Ada Example",
        "called door.unlock and was answered",
        "door: front, seconds: 20",
    ):
        assert words in traced


async def denied(up: RunningPlace, chats: Chats, lamps: LampServer) -> None:
    """By a command, which lists it as well."""
    await asked(up, chats)
    listed = await up.place.verb("approvals", "--json")
    [row] = yaml.safe_load(listed.stdout)["approvals"]
    assert (row["kind"], row["tool"], row["person"]) == ("call", "door.unlock", "Ben Example")
    said = await up.place.verb("deny", row["approval_id"], "--reason", "not at night")
    assert said.stdout == f"call {row['approval_id']} is denied; it is never made\n"
    answer = str((await chats.next())["text"])
    assert "did not approve of it. Nothing was done: door.unlock (door: front, seconds: 20)." in answer

    async def over() -> bool:
        return not await up.rows("SELECT FROM home.held_call_work")

    await until(over, what="nothing waits any more")
    assert lamps.unlocked == [("front", 20)]
