"""`butlers doctor` asks the providers as `butlers init` does, and gives none of their secrets away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from butler_cli.doctor.findings import Finding
from butler_cli.doctor.providers import providers
from butler_cli.doctor.rounds import LeftOut
from butler_cli.doctor.written import manifests_and_secrets
from butler_cli.local.providers import ProviderAddresses, write_retargeted
from butler_cli.local.state import StateDir, write_private
from tests.support.google_calendar import GoogleDouble
from tests.support.mail.imap_server import ImapServer
from tests.support.mail.smtp_server import SmtpServer
from tests.support.telegram_api import TelegramApiServer

TOKEN = "7000001:household-test-token-0123456789abcdef"
PASSWORD = "correct-horse-battery"
HOUSEHOLD = Path(__file__).parents[3] / "examples" / "household"
CONTACTS = '- name: Ada\n  role: owner\n  identifiers: [{type: telegram, value: "1001", primary: true}]\n'


@dataclass
class World:
    """The household of the examples, at providers on loopback."""

    state: StateDir
    manifests: Path
    telegram: TelegramApiServer

    def secret(self, name: str, key: str, value: str) -> None:
        write_private(self.state.secrets_dir / name / key, f"{value}\n")

    async def asked(self) -> list[Finding]:
        return list(await asyncio.to_thread(providers, self.state, self.manifests))


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    state = StateDir.at(tmp_path / "state")
    state.create()
    address = "household@example.com"
    telegram = TelegramApiServer(token=TOKEN)
    imap, smtp = ImapServer(user=address, password=PASSWORD), SmtpServer(user=address, password=PASSWORD)
    async with telegram, imap, smtp:
        addresses = ProviderAddresses(telegram.url, ("127.0.0.1", imap.port), ("127.0.0.1", smtp.port))
        write_retargeted(HOUSEHOLD, tmp_path / "manifests", addresses)
        made = World(state, tmp_path / "manifests", telegram)
        for name, key, value in (
            ("telegram-bot", "token", TOKEN),
            ("mail-account", "password", PASSWORD),
            ("webhook", "token", "a-token-of-the-door-0123456789"),
            ("contacts", "contacts.yaml", CONTACTS),
        ):
            made.secret(name, key, value)
        yield made


async def test_providers_that_know_the_household_are_no_finding(world: World) -> None:
    assert [
        found for found in manifests_and_secrets(world.state, world.manifests) if found.weight == "broken"
    ] == []
    assert await world.asked() == []


async def test_a_calendar_whose_secret_is_not_there_is_a_finding_with_where_it_belongs(world: World) -> None:
    butlers = world.manifests / "butlers.yaml"
    documents = list(yaml.safe_load_all(butlers.read_text("utf-8")))
    [messenger] = [one for one in documents if one["metadata"]["name"] == "messenger"]
    messenger["spec"]["modules"]["calendar"]["secretRef"] = {"name": "calendar", "key": "user.json"}
    butlers.write_text(yaml.safe_dump_all(documents), "utf-8")
    found = [one for one in manifests_and_secrets(world.state, world.manifests) if one.about == "calendar"]
    assert [one.weight for one in found] == ["risk"]
    assert "the calendar of messenger is off: secret calendar, key user.json is missing; put" in found[0].what


async def test_a_token_and_a_password_that_are_refused_are_named_by_whose_they_are_and_never_shown(
    world: World,
) -> None:
    world.secret("telegram-bot", "token", "7000001:another-token-that-nobody-knows-000000")
    world.secret("mail-account", "password", "incorrect-donkey")
    found = await world.asked()
    said = "\n".join(f"{one.weight} {one.about}: {one.what} / {one.do}" for one in found)
    assert {one.weight for one in found} == {"broken"}
    assert "Telegram does not know this bot token" in said
    assert "does not let household@example.com in" in said
    assert {one.about.partition(" of ")[0] for one in found} == {"Telegram bot", "mailbox", "outgoing mail"}
    for secret in ("another-token", "incorrect-donkey", TOKEN, PASSWORD):
        assert secret not in said


async def test_a_calendar_that_is_refused_or_is_none_says_what_to_correct_and_one_that_is_off_is_no_finding(
    world: World,
) -> None:
    async with GoogleDouble() as google:
        [file] = [path for path in world.manifests.iterdir() if "name: messenger" in path.read_text("utf-8")]
        documents = list(yaml.safe_load_all(file.read_text("utf-8")))
        calendar = {"url": google.api, "secretRef": {"name": "calendar", "key": "user"}}
        [messenger] = [one for one in documents if one["metadata"]["name"] == "messenger"]
        messenger["spec"]["modules"]["calendar"] = calendar
        file.write_text(yaml.safe_dump_all(documents), encoding="utf-8")
        assert await world.asked() == []
        world.secret("calendar", "user", google.secret)
        assert await world.asked() == []
        google.refresh_token = "another"
        [revoked] = await world.asked()
        assert revoked.about == "calendar of messenger"
        assert "does not take the refresh token" in revoked.what
        assert "client-secret-1" not in revoked.what + revoked.do
        google.refresh_token = "refresh-1"
        calendar["calendarId"] = "family"
        file.write_text(yaml.safe_dump_all(documents), encoding="utf-8")
        [nowhere] = await world.asked()
        assert "correct calendarId" in nowhere.what


async def test_a_secret_among_the_manifests_that_no_cluster_would_hand_out_is_noted(world: World) -> None:
    shared = "labels: {butlers.dev/usable-by: household}"
    for name, more in (("mine", ""), ("ours", f", {shared}")):
        text = f"apiVersion: v1\nkind: Secret\nmetadata: {{name: {name}{more}}}\nstringData: {{key: a}}\n"
        (world.manifests / f"{name}.yaml").write_text(text)
    found = manifests_and_secrets(world.state, world.manifests)
    [note] = [one for one in found if one.about == "secrets"]
    assert (note.weight, "Secret mine:" in note.what) == ("note", True)
    assert "butlers.dev/usable-by: household" in note.do


async def test_no_provider_is_asked_while_the_manifests_are_wrong(world: World) -> None:
    (world.state.secrets_dir / "webhook" / "token").unlink()
    with pytest.raises(LeftOut, match="have to be right first"):
        await world.asked()
    [wrong] = [one for one in manifests_and_secrets(world.state, world.manifests) if one.weight == "broken"]
    assert "secret webhook, key token is missing" in wrong.what
