"""What a butler may send with a message: references that no reader, path or header can be tricked by (ADR 0103)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_contracts.attachments import NAME_MAX, TOGETHER_MAX, is_within, shown, without_addresses
from butler_contracts.keys import delivery_key
from butler_contracts.notify import NotifyRequestV1, unknown_in
from butler_contracts.parse import ContractViolation, parse
from tests.support.file_store import attachment

URI = "https://files.example.org/out/bill.pdf"
CONTEXT_FREE = {"schema_version": "notify.v1", "origin_butler": "finance"}


def wish(*files: dict[str, Any], **delivery: Any) -> dict[str, Any]:
    said = {"intent": "send", "channel": "email", "message": "Here is the bill.", "idempotency_key": "a"}
    return {**CONTEXT_FREE, "delivery": {**said, "attachments": list(files), **delivery}}


def refusal(document: dict[str, Any]) -> str:
    with pytest.raises(ContractViolation) as refused:
        parse(NotifyRequestV1, document)
    return refused.value.message


def a_file(**changes: Any) -> dict[str, Any]:
    return attachment(URI, b"%PDF", **changes)


def test_a_message_has_up_to_ten_files_and_without_any_it_reads_as_ever() -> None:
    request = parse(NotifyRequestV1, wish(*[a_file()] * 10))
    assert request.delivery.attachments[9].name == "bill.pdf"
    plain = parse(NotifyRequestV1, {**CONTEXT_FREE, "delivery": {**wish()["delivery"]}})
    assert "attachments" not in plain.to_wire()["delivery"]
    assert "attachments" in refusal(wish(*[a_file()] * 11))


def test_the_sum_of_their_sizes_is_bounded_to_the_byte() -> None:
    half = TOGETHER_MAX // 2
    parse(NotifyRequestV1, wish(a_file(size_bytes=half), a_file(size_bytes=half)))
    assert "20,000,001 bytes together" in refusal(wish(a_file(size_bytes=half), a_file(size_bytes=half + 1)))
    assert "size_bytes" in refusal(wish(a_file(size_bytes=TOGETHER_MAX + 1, name="all.zip")))
    assert "size_bytes" in refusal(wish(a_file(size_bytes=0)))


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd", "C:\\autoexec.bat", "a/b.pdf", "..", ".", ".bashrc", "bill.pdf.", " bill.pdf",
        "bill.pdf\n", "bill\r\nBcc: mallory@example.org", "bill\tpdf", "\u202efdp.exe", "a\u200fb.pdf",
        "a\u2066b.pdf", "a\u2028b", "", "a\x00b", "\ud800.pdf", "x" * (NAME_MAX + 1),
    ],
)  # fmt: skip
def test_a_name_is_no_path_no_header_and_turns_no_direction(name: str) -> None:
    assert "name" in refusal(wish(a_file(name=name)))


@pytest.mark.parametrize(
    "name", ["bill.pdf", "Rechnung März.pdf", "חשבון.pdf", "فاتورة\u200cها.pdf", "👨‍👩‍👧.png", 'a"b.pdf']
)
def test_a_name_may_be_of_any_script(name: str) -> None:
    assert parse(NotifyRequestV1, wish(a_file(name=name))).delivery.attachments[0].name == name


@pytest.mark.parametrize(
    "uri",
    [
        "ftp://files.example.org/a", "file:///etc/passwd", "https://", "https://ada:secret@files.example.org/a",
        "https://files.example.org/a#b", "https://files.example.org/out/../in/a",
        "https://files.example.org/out/%2E%2e/a", "https://files.example.org/out%2fa", "https://[::1/a",
        "https://files.example.org\\@evil.example/a", "https://files.example.org/a b", "https://files.example.org?a",
        "https://files.example.org:0/a", "https://files.example.org:99999/a", "https://файлы.example/a",
        "https://files.example.org/a\nHost: b",
    ],
)  # fmt: skip
def test_an_address_is_one_that_every_client_reads_alike(uri: str) -> None:
    assert "uri" in refusal(wish({**a_file(), "uri": uri}))


@pytest.mark.parametrize("digest", ["", "md5:0", "sha256:" + "a" * 63, "sha256:" + "A" * 64, "a" * 64])
def test_a_digest_is_of_sha256(digest: str) -> None:
    assert "digest" in refusal(wish(a_file(digest=digest)))


def test_a_reaction_has_no_files() -> None:
    react = wish(a_file(), intent="react", channel="telegram", message=None, emoji="👍", idempotency_key=None)
    assert "a reaction has no files" in refusal(react)


def test_a_release_that_knows_no_files_refuses_them_and_is_not_told_the_same_without() -> None:
    """A message that arrives without its files and without a word of them would be worse than none."""
    assert unknown_in("delivery.attachments: is not a known field") == ()


def test_other_files_are_another_wish() -> None:
    wishes = [(), (("sha256:a", "a.pdf"),), (("sha256:b", "a.pdf"),), (("sha256:a", "b.pdf"),)]
    keys = {key_with(files) for files in wishes}
    assert len(keys) == len(wishes)
    assert key_with((("sha256:a", "a\u0308.pdf"),)) == key_with((("sha256:a", "ä.pdf"),)), "as a text counts"


def key_with(files: tuple[tuple[str, str], ...]) -> str:
    return delivery_key(
        request_id=UUID("01890000-0000-7000-8000-000000000001"),
        origin_butler="finance",
        intent="reply",
        channel="email",
        target_identity="ada@example.org",
        content="Here is the bill.",
        attachments=files,
    )


@pytest.mark.parametrize(
    ("uri", "origin", "within"),
    [
        ("https://files.example.org/out/a", "https://files.example.org/out/", True),
        ("https://files.example.org/out/a", "https://files.example.org/out", True),
        ("https://FILES.example.org:443/out/a", "https://files.example.org/out", True),
        ("https://files.example.org", "https://files.example.org", True),
        ("https://files.example.org/outer/a", "https://files.example.org/out", False),
        ("http://files.example.org/out/a", "https://files.example.org/out", False),
        ("https://files.example.org:8443/out/a", "https://files.example.org/out", False),
        ("https://files.example.org.evil.example/out/a", "https://files.example.org/out", False),
        ("https://evil.example/?https://files.example.org/out/", "https://files.example.org/out/", False),
    ],
)
def test_an_object_is_below_an_origin_by_scheme_host_port_and_folder(
    uri: str, origin: str, within: bool
) -> None:
    assert is_within(uri, origin) is within


def test_what_people_see_of_a_file_is_not_where_it_is() -> None:
    file = a_file() | {"uri": "https://files.example.org/a?signature=secret"}
    seen = shown(file)
    assert (seen["name"], seen["size_bytes"], seen["from"]) == ("bill.pdf", 4, "files.example.org")
    assert "secret" not in str(without_addresses(wish(file)))


@given(st.text(min_size=1, max_size=NAME_MAX))
def test_whatever_is_taken_as_a_name_is_one_line_without_hidden_characters(name: str) -> None:
    try:
        taken = parse(NotifyRequestV1, wish(a_file(name=name))).delivery.attachments[0].name
    except ContractViolation:
        return
    assert taken == name
    assert not set("/\\\r\n\x00\u202e\u2066\u200f") & set(taken)
    assert len(taken.splitlines()) == 1
