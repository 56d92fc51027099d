"""What `butlers init` asks of a provider, where the household's test providers do not answer like that."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from butler_cli.doctor import providers
from butler_cli.local.secrets import Secrets
from butler_cli.local.state import StateDir, write_private
from butler_cli.setup.answers import Unacceptable
from butler_cli.setup.mail import open_mailbox, reach
from butler_cli.setup.telegram import bot_name, id_of_writer
from butler_resources.kinds import load_manifests
from butler_resources.kinds.base import Server
from tests.support.certificates import Authority
from tests.support.loopback import LoopbackServer, free_port
from tests.support.mail.imap_server import ImapServer
from tests.support.telegram_api import TelegramApiServer, message_update, person

TOKEN = "7000001:household-test-token"
ME = {"id": 7000001, "is_bot": True, "first_name": "Butlers", "username": "house_bot"}


def api_with_a_webhook() -> Starlette:
    async def answer(request: Request) -> JSONResponse:
        hook = {
            "url": "https://elsewhere.example",
            "has_custom_certificate": False,
            "pending_update_count": 0,
        }
        result = ME if request.path_params["method"] == "getMe" else hook
        return JSONResponse({"ok": True, "result": result})

    return Starlette(routes=[Route("/{bot}/{method}", answer, methods=["GET", "POST"])])


async def refusal(call: Callable[..., Any], *given: Any, **named: Any) -> str:
    with pytest.raises(Unacceptable) as refused:
        await asyncio.to_thread(call, *given, **named)
    return str(refused.value)


async def test_a_bot_whose_messages_go_elsewhere_is_refused() -> None:
    async with LoopbackServer(api_with_a_webhook()) as api:
        said = await refusal(bot_name, TOKEN, api=api.url)
    assert "the messages of @house_bot go to another program (a webhook is set)" in said


async def test_an_api_that_is_not_there_is_named_without_the_token() -> None:
    nowhere = f"http://127.0.0.1:{free_port()}"
    said = await refusal(bot_name, TOKEN, api=nowhere)
    assert f"{nowhere} cannot be reached" in said
    assert TOKEN not in said


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramApiServer]:
    async with TelegramApiServer(token=TOKEN) as server:
        yield server


async def test_only_a_private_message_with_the_code_makes_its_writer_the_owner(
    telegram: TelegramApiServer,
) -> None:
    group = {"id": -5, "type": "group", "title": "All"}
    telegram.inject(message_update(person(1, "Old"), text="hello?"))
    telegram.inject(message_update(person(2, "Mallory"), text="is it 123456?"))
    telegram.inject(message_update(person(3, "Grouped"), chat=group, text="123456"))
    telegram.inject(message_update(person(4, "Ada"), text="123456"))
    wait = partial(id_of_writer, TOKEN, "123456", api=telegram.url, bot="house_bot", patience_s=30.0)
    assert await asyncio.to_thread(wait) == ("4", "Ada")
    assert telegram.state.queue == [], "the household does not take the code for a message"


async def test_who_never_writes_is_not_waited_for_without_end(telegram: TelegramApiServer) -> None:
    wait = partial(id_of_writer, TOKEN, "123456", api=telegram.url, bot="house_bot", patience_s=1.0)
    assert "got no message with 123456" in await refusal(wait)


async def test_a_server_that_speaks_something_else_is_named() -> None:
    async with LoopbackServer(api_with_a_webhook()) as other:
        port = int(other.url.rpartition(":")[2])
        web = Server(host="127.0.0.1", port=port, tls="implicit")
        said = await refusal(reach, web, web)
    assert f"no TLS with IMAP server 127.0.0.1:{port}" in said


async def test_what_a_mail_server_says_of_a_password_is_repeated_as_it_says_it() -> None:
    async with ImapServer(user="ada@example.org", password="right") as imap:
        server = Server(host="127.0.0.1", port=imap.port, tls="none")
        said = await refusal(open_mailbox, server, "ada@example.org", "wrong-one")
    assert "(it says: [AUTHENTICATIONFAILED] Invalid" in said
    assert "wrong-one" not in said


MAILBOX = """
apiVersion: butlers.dev/v1alpha1
kind: Connector
metadata: {{name: mail}}
spec:
  type: imap
  endpointIdentity: imap:ada@example.org
  {bundle}
  imap:
    host: 127.0.0.1
    port: {port}
    tls: implicit
    username: ada@example.org
    passwordSecretRef: {{name: mail-account, key: password}}
"""


@pytest.mark.parametrize("bundle", ["caBundleRef: {secret: authority, key: ca.crt}", ""])
async def test_doctor_asks_a_mailbox_with_the_authorities_that_its_connector_trusts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bundle: str
) -> None:
    authority = Authority.make(tmp_path / "authority")
    state = StateDir.at(tmp_path / "state")
    write_private(state.secrets_dir / "authority" / "ca.crt", authority.file.read_text())
    write_private(state.secrets_dir / "mail-account" / "password", "right")
    (tmp_path / "manifests").mkdir()
    async with ImapServer(user="ada@example.org", password="right", tls=authority.server()) as imap:
        text = MAILBOX.format(bundle=bundle, port=imap.port)
        (tmp_path / "manifests" / "connectors.yaml").write_text(text)
        manifests = load_manifests(tmp_path / "manifests")
        known = (manifests, Secrets(state, {}, manifests))
        monkeypatch.setattr(providers, "settled", lambda *_: known)
        found = await asyncio.to_thread(providers.providers, state, tmp_path / "manifests")
    said = [f"{one}" for one in found]
    assert len(said) == (0 if bundle else 1)
    assert all("its certificate is not trusted" in line and "`caBundleRef`" in line for line in said)
