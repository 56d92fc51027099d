"""What `butlers init` writes: manifests that the models take, secrets apart, whatever was answered."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from butler_cli.setup.answers import Answers, Unacceptable
from butler_cli.setup.documents import manifests_of, secrets_of
from butler_cli.setup.mail_hosts import read_servers, usual_servers
from butler_cli.setup.questions import QUESTIONS
from butler_messenger.contacts.file import read_contacts
from butler_resources.kinds import Manifests, load_manifests, parse_contacts
from butler_resources.kinds.base import Server
from butler_resources.render import household_problems

NOBODY = Answers(name="Ada Example", timezone="Europe/Berlin")
TELEGRAM = {"telegram_token": "1:abcdef", "telegram_bot": "house_bot", "telegram_id": "1001"}
MAIL = {
    "mail_address": "house@gmail.com",
    "imap": Server(host="imap.gmail.com", port=993),
    "smtp": Server(host="smtp.gmail.com", port=465),
    "mail_password": "app-password",
    "own_mail": "ada@example.org",
}


def loaded(answers: Answers, folder: Path) -> Manifests:
    folder.mkdir()
    for name, text in manifests_of(answers).items():
        (folder / name).write_text(text)
    return load_manifests(folder)


@pytest.mark.parametrize("ways", [TELEGRAM, MAIL, {"http": True}, {**TELEGRAM, **MAIL, "http": True}])
def test_every_choice_of_ways_makes_a_household_without_a_problem(
    ways: dict[str, object], tmp_path: Path
) -> None:
    answers = Answers(**{**NOBODY.__dict__, **ways})
    manifests = loaded(answers, tmp_path / "made")
    assert household_problems(manifests) == []
    contacts = secrets_of(answers, webhook_token="x" * 32)["contacts/contacts.yaml"]
    parse_contacts(contacts, where="contacts")
    [owner] = read_contacts(contacts)
    assert owner.name == "Ada Example"
    assert owner.identifiers, "the household can know the owner"


def test_a_mailbox_may_be_searched_under_the_name_by_which_its_mails_enter(tmp_path: Path) -> None:
    manifests = loaded(Answers(**{**NOBODY.__dict__, **MAIL}), tmp_path / "made")
    [messenger], [connector] = manifests.with_role("messenger"), manifests.connectors
    assert messenger.spec.modules is not None
    assert messenger.spec.modules.email is not None
    assert messenger.spec.modules.email.bot.mailbox_identity == connector.spec.endpoint_identity


def test_no_secret_stands_in_a_manifest() -> None:
    answers = Answers(**{**NOBODY.__dict__, **TELEGRAM, **MAIL, "http": True})
    text = "".join(manifests_of(answers).values())
    secrets = secrets_of(answers, webhook_token="w" * 32)
    for name in ("telegram-bot/token", "mail-account/password", "webhook/token"):
        assert secrets[name].strip() not in text
    assert "1:abcdef" not in repr(answers)
    assert "app-password" not in repr(answers)


def test_a_mailbox_whose_provider_is_known_brings_the_name_that_proves_its_senders(tmp_path: Path) -> None:
    manifests = loaded(Answers(**{**NOBODY.__dict__, **MAIL}), tmp_path / "known")
    [switchboard] = manifests.with_role("switchboard")
    assert switchboard.spec.routing is not None
    assert switchboard.spec.routing.trusted_authserv_ids == ("mx.google.com",)


def test_what_is_said_once_is_said_once() -> None:
    documents = list(yaml.safe_load_all(manifests_of(NOBODY)["butlers.yaml"]))
    assert [
        document["spec"].get("household") for document in documents if "household" in document["spec"]
    ] == [{"timezone": "Europe/Berlin"}]


def test_nobody_is_asked_more_than_ten_questions() -> None:
    assert len(QUESTIONS) <= 10


@pytest.mark.parametrize(
    ("text", "servers"),
    [
        ("imap.a.org smtp.a.org", [("imap.a.org", 993, "implicit"), ("smtp.a.org", 465, "implicit")]),
        ("a.org:143, a.org:587", [("a.org", 143, "starttls"), ("a.org", 587, "starttls")]),
        ("a.org/starttls a.org:2525/starttls", [("a.org", 143, "starttls"), ("a.org", 2525, "starttls")]),
        ("localhost/none 127.0.0.1:25/none", [("localhost", 143, "none"), ("127.0.0.1", 25, "none")]),
    ],
)
def test_servers_are_read_as_people_write_them(text: str, servers: list[tuple[str, int, str]]) -> None:
    assert [(server.host, server.port, server.tls) for server in read_servers(text)] == servers


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a.org", "is not two servers"),
        ("https://a.org b.org", "'https://a.org' is no IMAP server"),
        ("a.org b.org:99999", "99999 is no port"),
        ("a.org b.org:465/ssl", "expected implicit, starttls or none, not ssl"),
        ("a.org/none b.org", "without TLS the password would be readable"),
    ],
)
def test_servers_that_cannot_be_meant_are_named(text: str, said: str) -> None:
    with pytest.raises(Unacceptable, match=said):
        read_servers(text)


def test_a_known_provider_is_proposed_and_any_other_by_custom() -> None:
    assert usual_servers("us@gmail.com") == "imap.gmail.com smtp.gmail.com"
    assert usual_servers("us@Example.ORG") == "imap.example.org smtp.example.org"
