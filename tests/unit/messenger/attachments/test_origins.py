"""Where files may come from, and where a name of an origin may not lead (ADR 0103)."""

from __future__ import annotations

import pytest

from butler_contracts.errors import ValidationFailed
from butler_contracts.notify import NotifyRequestV1
from butler_contracts.parse import parse
from butler_messenger.attachments.origins import AttachmentRules, may_connect
from tests.support.file_store import attachment

ORIGIN = "https://files.example.org/out/"
RULES = AttachmentRules((ORIGIN, "http://10.0.0.5:9000/"), frozenset({"telegram", "email"}))


def wish(uri: str, channel: str = "email") -> NotifyRequestV1:
    delivery = {"intent": "send", "channel": channel, "message": "x", "attachments": [attachment(uri, b"x")]}
    return parse(
        NotifyRequestV1, {"schema_version": "notify.v1", "origin_butler": "finance", "delivery": delivery}
    )


@pytest.mark.parametrize(
    "uri", [f"{ORIGIN}a.pdf", f"{ORIGIN}a/b.pdf?signature=s", "http://10.0.0.5:9000/b/c"]
)
def test_what_is_below_an_origin_of_the_manifest_is_taken(uri: str) -> None:
    RULES.check(wish(uri))


@pytest.mark.parametrize(
    "uri",
    [
        "https://files.example.org/in/a.pdf",
        "https://evil.example/out/a.pdf",
        "http://127.0.0.1:9000/a",
        "http://10.0.0.5:9001/a",
        "http://169.254.169.254/latest/meta-data/",
    ],
)
def test_anything_else_is_refused_without_repeating_its_address(uri: str) -> None:
    with pytest.raises(
        ValidationFailed, match=r"attachments\[0\].uri is below none of the origins"
    ) as refused:
        RULES.check(wish(f"{uri}?token=secret"))
    assert "secret" not in refused.value.message


def test_a_household_without_origins_and_a_channel_without_files_say_so() -> None:
    with pytest.raises(ValidationFailed, match=r"names no modules\.attachments"):
        AttachmentRules((), frozenset({"email"})).check(wish(f"{ORIGIN}a"))
    with pytest.raises(ValidationFailed, match="channel 'chat' carries no files"):
        RULES.check(wish(f"{ORIGIN}a", "chat"))


@pytest.mark.parametrize(
    ("host", "address", "may"),
    [
        ("files.example.org", "93.184.216.34", True),
        ("files.example.org", "2606:2800:220:1::1", True),
        ("files.example.org", "127.0.0.1", False),
        ("files.example.org", "10.1.2.3", False),
        ("files.example.org", "192.168.1.1", False),
        ("files.example.org", "169.254.169.254", False),
        ("files.example.org", "100.64.0.1", False),
        ("files.example.org", "0.0.0.0", False),
        ("files.example.org", "224.0.0.1", False),
        ("files.example.org", "::1", False),
        ("files.example.org", "fd00::1", False),
        ("files.example.org", "fe80::1", False),
        ("files.example.org", "::ffff:127.0.0.1", False),
        ("files.example.org", "64:ff9b::7f00:1", False),
        ("files.example.org", "2002:7f00:1::", False),
        ("localhost", "127.0.0.1", True),
        ("localhost", "::1", True),
        ("localhost", "10.0.0.1", False),
        ("minio.storage.svc", "10.96.0.7", True),
        ("minio", "fd00::7", True),
        ("minio", "127.0.0.1", False),
        ("minio.storage.svc", "169.254.169.254", False),
        ("nas.local", "192.168.1.20", True),
    ],
)
def test_a_name_leads_only_where_its_form_says(host: str, address: str, may: bool) -> None:
    assert may_connect(host, address) is may
