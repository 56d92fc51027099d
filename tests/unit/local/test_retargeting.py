"""A copy of a household's manifests that talks to other providers."""

from pathlib import Path

import yaml

from butler_cli.local.providers import ProviderAddresses, retarget, write_retargeted
from butler_resources.kinds import load_manifests

EXAMPLES = Path(__file__).parents[3] / "examples"
ADDRESSES = ProviderAddresses("http://127.0.0.1:1234", ("127.0.0.1", 1143), ("127.0.0.1", 1125))


def test_the_copy_loads_and_every_provider_has_its_new_address(tmp_path: Path) -> None:
    write_retargeted(EXAMPLES / "household", tmp_path / "copy", ADDRESSES)
    manifests = load_manifests(tmp_path / "copy")
    modules = manifests.with_role("messenger")[0].spec.modules
    assert modules is not None
    assert modules.telegram is not None
    assert modules.email is not None
    assert modules.telegram.bot.api_base_url == "http://127.0.0.1:1234"
    smtp, sent = modules.email.bot.smtp, modules.email.bot.sent_mailbox
    assert (smtp.host, smtp.port, smtp.tls) == ("127.0.0.1", 1125, "none")
    assert sent is not None
    assert (sent.port, sent.name) == (1143, "Sent")
    assert modules.email.bot.inbox is not None
    assert (modules.email.bot.inbox.host, modules.email.bot.inbox.port) == ("127.0.0.1", 1143)
    telegram, mail, _ = (connector.spec for connector in manifests.connectors)
    assert telegram.telegram_bot is not None
    assert mail.imap is not None
    assert telegram.telegram_bot.api_base_url == "http://127.0.0.1:1234"
    assert (mail.imap.host, mail.imap.port, mail.imap.tls) == ("127.0.0.1", 1143, "none")


def test_what_is_not_given_stays_as_it_was() -> None:
    for document in yaml.safe_load_all((EXAMPLES / "household" / "connectors.yaml").read_text()):
        before = yaml.safe_dump(document)
        assert retarget(document, ProviderAddresses()) == document
        retarget(document, ADDRESSES)
        assert yaml.safe_dump(document) == before
