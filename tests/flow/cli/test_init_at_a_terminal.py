"""`butlers init` at a real terminal, against providers on loopback: from nothing to the first answer."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from butler_cli.local.state import StateDir
from tests.support.mail.imap_server import ImapServer
from tests.support.mail.smtp_server import SmtpServer
from tests.support.telegram_api import TelegramApiServer, message_update, person
from tests.support.terminal import Terminal, on_a_terminal

TOKEN = "7000001:household-test-token-0123456789abcdef"
MAILBOX = "household@example.org"
PASSWORD = "correct-horse-battery"
ADA = person(1001, "Ada", username="ada")
BUTLERS = (sys.executable, "-P", "-m", "butler_cli.main")
START_S = 240.0


@dataclass
class World:
    """A folder with nothing in it, and providers."""

    root: Path
    telegram: TelegramApiServer
    imap: ImapServer
    smtp: SmtpServer

    @property
    def state(self) -> StateDir:
        return StateDir.at(self.root / "state")

    @property
    def household(self) -> Path:
        return self.root / "household"

    @property
    def servers(self) -> str:
        return f"127.0.0.1:{self.imap.port}/none 127.0.0.1:{self.smtp.port}/none"

    def init(self, *more: str) -> tuple[str, ...]:
        place = ("--state", str(self.state.root), "--port-base", "0", "--telegram-api", self.telegram.url)
        return (*BUTLERS, "init", str(self.household), *place, *more)

    @property
    def env(self) -> dict[str, str]:
        return {**os.environ, "TZ": "Europe/Berlin", "LC_ALL": "C.UTF-8", "COLUMNS": "200"}


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    telegram = TelegramApiServer(token=TOKEN)
    imap = ImapServer(user=MAILBOX, password=PASSWORD)
    smtp = SmtpServer(user=MAILBOX, password=PASSWORD)
    async with telegram, imap, smtp:
        yield World(tmp_path, telegram, imap, smtp)


async def answer(terminal: Terminal, question: str, given: str) -> None:
    await terminal.shows(question)
    terminal.type(given)


async def down(world: World) -> None:
    stop = (*BUTLERS, "down", "--state", str(world.state.root))
    ending = await asyncio.create_subprocess_exec(*stop, stdout=asyncio.subprocess.DEVNULL)
    async with asyncio.timeout(START_S):
        assert await ending.wait() == 0


async def to_the_mailbox(terminal: Terminal, world: World) -> None:
    """The first five answers; the id is read from what Ada sends to the bot."""
    await answer(terminal, "Your name: ", "Ada Example")
    await answer(terminal, r"time zone \[Europe/Berlin\]: ", "")
    await answer(terminal, "Currency .*: ", "eur")
    await answer(terminal, "bot token .*: ", TOKEN)
    await terminal.shows("this is @household_butlers_bot")
    await answer(terminal, "own Telegram id.*: ", "")
    code = (await terminal.shows(r"\?start=(\d{6})"))[1]
    world.telegram.inject(message_update(person(6666, "Mallory"), text="/start 111111"))
    world.telegram.inject(message_update(ADA, text=f"/start {code}"))
    await terminal.shows("Ada wrote it: your Telegram id is 1001")


async def verb(world: World, *arguments: str) -> str:
    """What `butlers …` says, on stdout and stderr; its exit code is not looked at."""
    command = (*BUTLERS, *arguments, "--state", str(world.state.root))
    running = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, env=world.env
    )
    async with asyncio.timeout(START_S):
        said, _ = await running.communicate()
    return said.decode()


async def until_said(world: World, wanted: str, *arguments: str) -> str:
    async with asyncio.timeout(START_S):
        while wanted not in (said := await verb(world, *arguments)):
            await asyncio.sleep(0.2)
    return said


@pytest.mark.xdist_group("household-init")
async def test_a_family_member_is_added_while_the_household_is_up_and_answered_without_a_restart(
    world: World,
) -> None:
    for account, name in ((1001, "Ada"), (1002, "Ben")):
        world.telegram.add_chat({"id": account, "type": "private", "first_name": name})
    answers = world.root / "answers.yaml"
    answers.touch(mode=0o600)
    answers.write_text(f"name: Ada\ntimezone: Europe/Berlin\ntelegram_token: {TOKEN}\ntelegram_id: 1001\n")
    start = await asyncio.create_subprocess_exec(*world.init("--answers", str(answers)), env=world.env)
    try:
        async with asyncio.timeout(START_S):
            assert await start.wait() == 0
        before = await verb(world, "status", "--json")
        assert "the household knows them within ten seconds" in await verb(
            world, "contacts", "add", "Ben", "--telegram", "1002"
        )
        say = ("send", "--channel", "telegram", "--from", "1002", "Add milk to the shopping list", "--wait")
        await until_said(world, "(telegram to the sender: sent)", *say)

        kept = await verb(world, "records", "milk", "--person", "ben", "--butler", "general")
        assert ("milk" in kept, "Ben" in kept) == (True, True), kept
        assert "nothing that is kept fits" in await verb(world, "records", "milk", "--person", "Ada")

        contacts = world.state.secrets_dir / "contacts" / "contacts.yaml"
        good = contacts.read_text()
        contacts.write_text(good.replace("role: owner", "role: boss"))
        said = await until_said(world, "note: the contacts cannot be used", "status")
        assert "the former ones stay" in said
        assert "(telegram to the sender: sent)" in await verb(world, *say)
        contacts.write_text(good)
        async with asyncio.timeout(START_S):
            while "the contacts cannot be used" in await verb(world, "status"):
                await asyncio.sleep(0.2)
        after = await verb(world, "status", "--json")
        assert pids(after) == pids(before), "nothing was started again"
        await started_again(world, pids(before))
    finally:
        await down(world)


async def started_again(world: World, before: dict[str, int]) -> None:
    """`butlers restart`: one process, nothing while a manifest is wrong, then all; what was told is still known."""
    assert "general is up again" in await verb(world, "restart", "general")
    after = pids(await verb(world, "status", "--json"))
    assert {name for name in before if before[name] != after[name]} == {"general"}
    assert "no process 'genral' here" in await verb(world, "restart", "genral")

    manifest = world.household / "butlers.yaml"
    good = manifest.read_text()
    manifest.write_text(good.replace("Europe/Berlin", "Europe/Berlingen"))
    assert "'Europe/Berlingen' is no time zone" in await verb(world, "restart")
    assert pids(await verb(world, "status", "--json")) == after, "it stayed up"

    manifest.write_text(good)
    assert "ready in" in await verb(world, "restart")
    last = pids(await verb(world, "status", "--json"))
    assert not set(last.values()) & set(after.values())
    assert "milk" in await verb(world, "records", "milk", "--person", "Ben")


def pids(status: str) -> dict[str, int]:
    return {process["name"]: process["pid"] for process in json.loads(status)["processes"]}


@pytest.mark.xdist_group("household-init")
async def test_ten_answers_lead_from_nothing_to_the_first_answer(world: World) -> None:
    async with on_a_terminal(*world.init(), env=world.env, cwd=world.root) as terminal:
        await to_the_mailbox(terminal, world)
        await answer(terminal, "household's own mailbox .*: ", MAILBOX)
        await answer(
            terminal, r"IMAP and its SMTP server \[imap.example.org smtp.example.org\]: ", world.servers
        )
        await answer(terminal, "app password.*: ", PASSWORD)
        await terminal.shows(f"the mailbox of {MAILBOX} opens")
        await answer(terminal, "Your own mail address.*: ", "ada@example.org")
        await answer(terminal, "over HTTP.*: ", "no")
        try:
            await terminal.shows("you say: What can you do\\?", deadline_s=START_S)
            await terminal.shows(r"\(telegram to the sender: sent\)", deadline_s=START_S)
            assert await terminal.ended() == 0
        finally:
            await down(world)
    assert terminal.typed <= 10
    assert [entry["chat_id"] for entry in world.telegram.sent] == [1001]
    assert world.telegram.sent[0]["text"].strip()[:20] in terminal.screen
    assert not any(secret in terminal.screen for secret in (TOKEN, PASSWORD))
    written = [path for folder in (world.household, world.state.secrets_dir) for path in folder.rglob("*")]
    assert all(stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600) for path in written)
    assert {path.name for path in world.household.iterdir()} == {"butlers.yaml", "connectors.yaml"}


async def test_each_mistake_is_named_and_asked_again_before_anything_is_written(world: World) -> None:
    async with on_a_terminal(*world.init("--no-start"), env=world.env, cwd=world.root) as terminal:
        await answer(terminal, "Your name: ", "   ")
        await terminal.shows("a name is needed")
        await answer(terminal, "Your name: ", "Ada")
        await answer(terminal, "time zone .*: ", "berlin")
        await terminal.shows(r"'berlin' is no time zone, did you mean Europe/Berlin\?")
        await answer(terminal, "time zone .*: ", "Europe/Berlin")
        await answer(terminal, "Currency .*: ", "EURO")
        await terminal.shows(r"'EURO' is no currency, did you mean EUR\?")
        await answer(terminal, "Currency .*: ", "")
        await answer(terminal, "bot token .*: ", "@household_butlers_bot")
        await terminal.shows("that is no bot token")
        await answer(terminal, "bot token .*: ", "7000001:another-token-0123456789abcdef")
        await terminal.shows("Telegram does not know this bot token")
        await answer(terminal, "bot token .*: ", TOKEN)
        await answer(terminal, "own Telegram id.*: ", "@ada")
        await terminal.shows("'@ada' is no account's number; a @name cannot be used")
        await answer(terminal, "own Telegram id.*: ", "4711")
        await terminal.shows(
            r"cannot write to 4711 \(Chat not found\); open https://t.me/household_butlers_bot"
        )
        world.telegram.add_chat({"id": 1001, "type": "private", "first_name": "Ada"})
        await answer(terminal, "own Telegram id.*: ", "1001")
        await answer(terminal, "own mailbox .*: ", "household at example.org")
        await terminal.shows("'household at example.org' is no mail address")
        await answer(terminal, "own mailbox .*: ", "family@outlook.com")
        await terminal.shows("Microsoft lets no program into this mailbox with a password")
        await answer(terminal, "own mailbox .*: ", MAILBOX)
        await answer(terminal, "SMTP server .*: ", "imap.example.org")
        await terminal.shows("'imap.example.org' is not two servers")
        await answer(terminal, "SMTP server .*: ", "imap.example.invalid smtp.example.org")
        await terminal.shows("IMAP server imap.example.invalid:993 is a name that nobody knows")
        await answer(terminal, "SMTP server .*: ", f"127.0.0.1:{world.imap.port}/none 127.0.0.1:1/none")
        await terminal.shows("SMTP server 127.0.0.1:1 refuses the connection")
        await answer(terminal, "SMTP server .*: ", world.servers)
        await answer(terminal, "app password.*: ", "wrong-password")
        await terminal.shows(f"does not let {MAILBOX} in with this password")
        await answer(terminal, "app password.*: ", PASSWORD)
        await answer(terminal, "Your own mail address.*: ", MAILBOX)
        await terminal.shows("is the household's own mailbox")
        await answer(terminal, "Your own mail address.*: ", "")
        await answer(terminal, "over HTTP.*: ", "maybe")
        await terminal.shows("'maybe' is neither yes nor no")
        assert not world.household.exists()
        assert not world.state.root.exists()
        await answer(terminal, "over HTTP.*: ", "no")
        await terminal.shows("butlers up -f")
        assert await terminal.ended() == 0
    assert "wrong-password" not in terminal.screen


async def test_ctrl_c_leaves_nothing_behind(world: World) -> None:
    async with on_a_terminal(*world.init(), env=world.env, cwd=world.root) as terminal:
        await answer(terminal, "Your name: ", "Ada")
        await terminal.shows("time zone .*: ")
        assert await terminal.interrupted() == 130
    assert list(world.root.iterdir()) == []


async def test_five_answers_that_cannot_be_used_end_it(world: World) -> None:
    async with on_a_terminal(*world.init(), env=world.env, cwd=world.root) as terminal:
        await answer(terminal, "Your name: ", "Ada")
        for _ in range(5):
            await answer(terminal, "time zone .*: ", "the moon")
        assert await terminal.ended() == 1
    assert "no answer could be used in 5 tries; nothing was written" in terminal.screen
    assert list(world.root.iterdir()) == []
