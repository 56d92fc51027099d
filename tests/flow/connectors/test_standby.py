"""Several instances of a source, at the real Switchboard: one reads, another takes over, nothing is lost or doubled."""

from __future__ import annotations

import asyncio
import imaplib
import os
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.flow.connectors.test_backfill import BILL, environment
from tests.integration.connectors.running import ConnectorProcess, connector, health_until, page, ready
from tests.integration.connectors.test_imap import PASSWORD, USER, mail
from tests.support.database import Provision
from tests.support.mail.imap_server import ImapServer
from tests.support.switchboard import MAILBOX
from tests.support.switchboard_service import Household, Running, household, until

SOURCE = {"connector_type": "imap", "endpoint_identity": MAILBOX}


@pytest.fixture
async def imap() -> AsyncIterator[ImapServer]:
    async with ImapServer(user=USER, password=PASSWORD) as server:
        yield server


@pytest.fixture
async def home(provisioned: Provision, tmp_path: Path) -> AsyncIterator[Household]:
    async with household(provisioned, tmp_path, "general", "finance") as home:
        yield home


def shared(home: Household, running: Running, imap: ImapServer, folder: Path) -> dict[str, str]:
    """An instance that keeps nothing on a disk of its own."""
    env = environment(home, running, imap, folder)
    del env["CONNECTOR_CURSOR_PATH"]
    return {**env, "CONNECTOR_CHECKPOINT": "switchboard", "CONNECTOR_POLL_INTERVAL_S": "1"}


def files(folder: Path) -> list[Path]:
    """What an instance wrote to its own disk."""
    return list(folder.glob("cursor*"))


async def read(home: Household, count: int) -> list[str]:
    """The subjects that came in, once there are `count` of them."""

    async def check() -> bool:
        return int(await home.pool.fetchval("SELECT count(*) FROM message_inbox")) >= count

    await until(check, what=f"{count} messages")
    rows = await home.pool.fetch(
        "SELECT request_context->>'source_endpoint_identity' AS source FROM message_inbox"
    )
    return [row["source"] for row in rows]


async def holder(home: Household) -> dict[str, Any]:
    row = await home.pool.fetchrow("SELECT * FROM source_leases")
    assert row is not None
    return dict(row)


async def positioned(home: Household) -> None:
    """Whatever comes from here on is read: the first that reads starts with what is to come."""

    async def check() -> bool:
        return bool(await home.pool.fetchval("SELECT count(*) FROM source_documents WHERE name = 'cursor'"))

    await until(check, what="a place in the source")


async def over(home: Household) -> None:
    """As if the seconds of the lease had passed without a word of its holder."""
    await home.pool.execute("UPDATE source_leases SET expires_at = clock_now() - interval '1 second'")


@pytest.mark.spec("CNX-17.1", "CNX-17.3")
async def test_one_reads_and_when_it_ends_the_other_goes_on_where_it_stopped(
    home: Household, imap: ImapServer, tmp_path: Path
) -> None:
    async with home.run() as running:
        env = shared(home, running, imap, tmp_path)
        async with connector(env) as second_to_be:
            async with AsyncExitStack() as stack:
                await until(lambda: _leads(second_to_be), what="a first that reads")
                other = await stack.enter_async_context(connector(env))
                await ready(other)
                await positioned(home)
                health = (await page(other, "/health")).json()
                assert (health["status"], health["standby"]) == ("healthy", True)
                await imap.deliver(mail(1, BILL))
                await read(home, 1)
                first = await holder(home)
            # The one that stood by has gone; the first reads on.
            await imap.deliver(mail(2, BILL))
            await read(home, 2)
            assert (await holder(home))["token"] == first["token"]
            async with connector(env) as heir:
                await ready(heir)
                second_to_be.request_stop()
                await until(lambda: _leads(heir), what="the heir that reads")
                await imap.deliver(mail(3, BILL))
                assert len(await read(home, 3)) == 3
        assert (await holder(home))["token"] == first["token"] + 1
        names = await home.pool.fetch("SELECT name, version FROM source_documents")
        assert [row["name"] for row in names] == ["cursor"]
        assert files(tmp_path) == []


async def _leads(service: Any) -> bool:
    text = (await page(service, "/metrics")).text
    return any(line.startswith("connector_leading{") and line.endswith(" 1.0") for line in text.splitlines())


@pytest.mark.spec("CNX-17.1")
async def test_an_instance_that_is_killed_is_followed_and_one_that_sleeps_writes_nothing_when_it_wakes(
    home: Household, imap: ImapServer, tmp_path: Path
) -> None:
    async with home.run() as running, AsyncExitStack() as stack:
        env = shared(home, running, imap, tmp_path)
        processes = []
        for name in ("a", "b", "c"):
            process = await ConnectorProcess.start(env, tmp_path / f"{name}.log")
            stack.push_async_callback(_end, process)
            processes.append(process)
            await asyncio.sleep(0)
        log = await _reader(tmp_path, "abc")
        await positioned(home)
        await imap.deliver(mail(1, BILL))
        await read(home, 1)

        killed = processes["abc".index(log)]
        await killed.kill()
        await imap.deliver(mail(2, BILL))
        await over(home)
        await read(home, 2)

        rest = "abc".replace(log, "")
        sleeper = await _reader(tmp_path, rest)
        sleeping = processes["abc".index(sleeper)]
        os.kill(sleeping.process.pid, signal.SIGSTOP)
        await imap.deliver(mail(3, BILL))
        await over(home)
        await read(home, 3)
        token = (await holder(home))["token"]
        os.kill(sleeping.process.pid, signal.SIGCONT)

        async def gave_up() -> bool:
            return _text(tmp_path, sleeper).count("this instance reads the source no more") == 1

        await until(gave_up, what="the sleeper that stands by")
        await imap.deliver(mail(4, BILL))
        assert len(await read(home, 4)) == 4
        assert (await holder(home))["token"] == token
        await home.idle()
        assert await home.pool.fetchval("SELECT count(*) FROM message_inbox") == 4


async def _end(process: ConnectorProcess) -> None:
    if process.process.returncode is None:
        os.kill(process.process.pid, signal.SIGCONT)
        await process.kill()


def _text(folder: Path, name: str) -> str:
    path = folder / f"{name}.log"
    return path.read_text() if path.exists() else ""


async def _reader(folder: Path, names: str) -> str:
    """Which of them reads the source."""

    async def check() -> str | None:
        return next(
            (
                name
                for name in names
                if (text := _text(folder, name)).count("reads the source now")
                > text.count("reads the source no more")
            ),
            None,
        )

    found: str = await until(check, what=f"one of {names} that reads")
    return found


@pytest.mark.spec("CNX-17.1")
async def test_the_next_process_of_the_same_place_goes_on_at_once(
    home: Household, imap: ImapServer, tmp_path: Path
) -> None:
    """A container that is started again waits for no lease of the process before it."""
    async with home.run() as running, AsyncExitStack() as stack:
        env = {**shared(home, running, imap, tmp_path), "BUTLERS_REPLICA": "pod-uid"}
        first = await ConnectorProcess.start(env, tmp_path / "a.log")
        stack.push_async_callback(_end, first)
        await positioned(home)
        before = await holder(home)
        await first.kill()
        await imap.deliver(mail(1, BILL))
        again = await ConnectorProcess.start(env, tmp_path / "b.log")
        stack.push_async_callback(_end, again)
        await read(home, 1)
        after = await holder(home)
        assert (after["holder"], after["token"]) == (before["holder"], before["token"])


@pytest.mark.spec("CNX-17.3")
async def test_what_one_instance_parked_another_submits(
    home: Household, imap: ImapServer, tmp_path: Path
) -> None:
    """A message on which Switchboard fails is nobody's disk: it is handed on with the rest."""
    async with home.run() as running:
        token = home.keys.connector("imap", MAILBOX)

        async def call(tool: str, **args: Any) -> dict[str, Any]:
            return await running.call(token, tool, {**SOURCE, **args})

        one, other = str(uuid4()), str(uuid4())
        lease = await call("connector.lease", instance_id=one, seconds=20)
        waits = await call("connector.lease", instance_id=other, seconds=20)
        assert (lease["held"], waits["held"], waits["standbys"]) == (True, False, 1)
        written = await call(
            "connector.checkpoint", action="write", name="parked/000000000001", version=0,
            lease=lease["token"], content={"text": "a\tb \U0001f600"},
        )  # fmt: skip
        assert (written["status"], written["version"]) == ("ok", 1)
        await call("connector.lease", instance_id=one, seconds=20, release=True)
        after = await call("connector.lease", instance_id=other, seconds=20)
        assert (after["held"], after["token"], after["standbys"]) == (True, lease["token"] + 1, 0)
        listed = await call("connector.checkpoint", action="list", name="parked")
        assert listed["names"] == ["parked/000000000001"]
        found = await call("connector.checkpoint", action="read", name="parked/000000000001")
        assert found["content"] == {"text": "a\tb \U0001f600"}
        late = await call(
            "connector.checkpoint", action="remove", name="parked/000000000001", lease=lease["token"]
        )
        assert late["status"] == "fenced"


@pytest.mark.spec("CNX-17.3")
async def test_a_file_s_place_is_taken_over_from_the_last_heartbeat(
    home: Household, imap: ImapServer, tmp_path: Path
) -> None:
    async with home.run() as running:
        async with connector(environment(home, running, imap, tmp_path)) as of_a_file:
            await ready(of_a_file)
            await imap.deliver(mail(1, BILL))
            await read(home, 1)

        async def told() -> bool:
            """Its last heartbeat says how far it came."""
            return bool(
                await home.pool.fetchval(
                    "SELECT count(*) FROM connector_registry WHERE checkpoint_cursor IS NOT NULL"
                )
            )

        await until(told, what="a heartbeat with the place")
        await imap.deliver(mail(2, BILL))
        async with connector(shared(home, running, imap, tmp_path)):
            await read(home, 2)
        assert await home.pool.fetchval("SELECT count(*) FROM message_inbox") == 2


@pytest.mark.spec("CNX-17.1")
async def test_without_a_switchboard_nobody_reads(home: Household, imap: ImapServer, tmp_path: Path) -> None:
    async with home.run() as running:
        env = shared(home, running, imap, tmp_path)
    async with connector(env) as service:
        health = await health_until(service, "degraded")
        assert "Switchboard does not say who reads this source" in str(health["error_message"])
        assert not (await service.readiness()).ready
    assert imap.connections_seen == 0


def file_away(imap: ImapServer, mails: dict[str, list[bytes]]) -> None:
    """Put mails into folders of the account, as a filter of the server would."""
    with imaplib.IMAP4(imap.host, imap.port) as client:
        client.login(USER, PASSWORD)
        for folder, contents in mails.items():
            if folder != "INBOX":
                client.create(folder)
            for content in contents:
                client.append(folder, "", "", content)


@pytest.mark.spec("CNX-17.2")
async def test_parts_of_a_mailbox_are_read_side_by_side_each_mail_once(
    home: Household, imap: ImapServer, tmp_path: Path
) -> None:
    """A connector a folder: Gmail shows its labels as folders."""
    parts = {"INBOX": MAILBOX, "Bills": f"{MAILBOX}#bills", "Travel": f"{MAILBOX}#travel"}
    mails = {
        folder: [mail(10 * part + number, BILL) for number in range(10)] for part, folder in enumerate(parts)
    }
    await asyncio.to_thread(file_away, imap, mails)
    async with home.run() as running, AsyncExitStack() as stack:
        for folder, identity in parts.items():
            own = tmp_path / folder
            own.mkdir()
            env = environment(home, running, imap, own)
            token = home.keys.connector("imap", identity)
            await asyncio.to_thread(Path(env["BUTLERS_TOKEN_FILE"]).write_text, token)
            env |= {
                "CONNECTOR_ENDPOINT_IDENTITY": identity,
                "IMAP_MAILBOX": folder,
                "CONNECTOR_START": "last_50",
            }
            await stack.enter_async_context(connector(env))
        sources = await read(home, 30)
        await home.idle()
        assert await home.pool.fetchval("SELECT count(*) FROM message_inbox") == 30
    assert {identity: sources.count(identity) for identity in parts.values()} == dict.fromkeys(
        parts.values(), 10
    )
