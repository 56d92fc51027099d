"""One file over HTTP from a store that lies, stalls, never ends or leads elsewhere (ADR 0103)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from butler_contracts.attachments import AttachmentV1
from butler_messenger.attachments.decisions import Away, Got, Never
from butler_messenger.attachments.fetching import Fetcher
from tests.support.file_store import FileStore, attachment
from tests.support.loopback import free_socket


@pytest.fixture
async def store() -> AsyncIterator[FileStore]:
    async with FileStore() as made:
        yield made


async def fetched(reference: dict[str, Any], *, timeout_s: float = 20.0, token: str | None = None) -> Any:
    fetcher = Fetcher(timeout_s=timeout_s, token=token)
    try:
        return await fetcher.fetch(AttachmentV1.model_validate(reference))
    finally:
        await fetcher.aclose()


async def test_a_file_that_is_as_announced_is_had_and_its_store_is_shown_the_token(store: FileStore) -> None:
    content = bytes(range(256)) * 1000
    reference = store.put("bill.pdf", content)
    assert await fetched(reference, token="t0ken") == Got(content)
    assert await fetched({**reference, "uri": f"{reference['uri']}?a=%2B%20b"}) == Got(content)
    assert store.asked == [("/f/bill.pdf", "Bearer t0ken"), ("/f/bill.pdf", None)]


async def test_another_content_of_the_same_size_is_refused_by_its_digest(store: FileStore) -> None:
    reference = store.put("bill.pdf", b"%PDF" * 1000)
    store.meets("lie")
    found = await fetched(reference)
    assert isinstance(found, Never)
    assert (found.kind, "digest" in found.why) == ("changed", True)


@pytest.mark.parametrize("announced", [3, 5])
async def test_another_size_than_announced_is_refused(store: FileStore, announced: int) -> None:
    found = await fetched({**store.put("bill.pdf", b"%PDF"), "size_bytes": announced})
    assert found == Never("changed", f"its store has 4 bytes of it, {announced} were announced")


async def test_a_body_without_an_end_is_cut_off_at_the_announced_size(store: FileStore) -> None:
    reference = store.put("bill.pdf", b"x" * 100_000)
    store.meets("endless")
    found = await fetched(reference)
    assert isinstance(found, Never)
    assert "more than the 100,000 bytes" in found.why


async def test_a_body_that_stalls_is_given_up_in_time_and_may_come_later(store: FileStore) -> None:
    reference = store.put("bill.pdf", b"%PDF")
    store.meets("slow")
    assert await fetched(reference, timeout_s=0.2) == Away("its store did not give it within 0.2 s")
    store.as_it_should()
    assert await fetched(reference) == Got(b"%PDF")


async def test_a_connection_that_breaks_in_the_middle_is_an_outage(store: FileStore) -> None:
    reference = store.put("bill.pdf", b"%PDF" * 50_000)
    store.meets("cut")
    assert isinstance(await fetched(reference), Away)


@pytest.mark.parametrize(
    ("status", "kind"), [(404, "gone"), (410, "gone"), (401, "refused"), (403, "refused"), (204, "refused")]
)
async def test_what_a_store_says_for_good_is_final(store: FileStore, status: int, kind: str) -> None:
    reference = store.put("bill.pdf", b"%PDF")
    store.meets("status", what=status)
    found = await fetched(reference)
    assert isinstance(found, Never)
    assert (found.kind, str(status) in found.why) == (kind, True)


@pytest.mark.parametrize("status", [429, 500, 502, 503, 507])
async def test_what_a_store_says_for_now_is_an_outage(store: FileStore, status: int) -> None:
    reference = store.put("bill.pdf", b"%PDF")
    store.meets("status", what=status)
    assert await fetched(reference) == Away(f"its store answers {status}")


async def test_a_redirect_is_not_followed_wherever_it_leads(store: FileStore) -> None:
    reference = store.put("bill.pdf", b"%PDF")
    store.put("other.pdf", b"%PDF")
    for elsewhere in (f"{store.url}other.pdf", "http://127.0.0.1:1/", "http://169.254.169.254/latest/"):
        store.meets("redirect", name="bill.pdf", what=elsewhere)
        found = await fetched(reference)
        assert isinstance(found, Never)
        assert (found.kind, elsewhere in found.why) == ("refused", False)
    assert {path for path, _ in store.asked} == {"/f/bill.pdf"}


async def test_a_public_name_that_leads_to_this_machine_is_not_connected_to(
    store: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    reference = store.put("bill.pdf", b"%PDF")
    loop = asyncio.get_running_loop()
    real = loop.getaddrinfo

    async def to_this_machine(host: str, *args: Any, **more: Any) -> Any:
        return await real("127.0.0.1", *args, **more)

    monkeypatch.setattr(loop, "getaddrinfo", to_this_machine)
    public = reference["uri"].replace("127.0.0.1", "files.example.org")
    found = await fetched({**reference, "uri": public})
    assert isinstance(found, Never)
    assert found.kind == "refused"
    assert await fetched({**reference, "uri": reference["uri"].replace("127.0.0.1", "localhost")}) == Got(
        b"%PDF"
    )
    assert len(store.asked) == 1


async def test_a_store_that_is_not_there_is_away_and_its_address_is_in_no_word() -> None:
    with free_socket() as unused:
        uri = f"http://127.0.0.1:{unused.getsockname()[1]}/f/a?signature=secret"
        found = await fetched(attachment(uri, b"x"))
    assert isinstance(found, Away)
    assert "secret" not in found.why


async def test_a_proxy_of_the_environment_is_not_asked(
    store: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1/")
    assert await fetched(store.put("bill.pdf", b"%PDF")) == Got(b"%PDF")
