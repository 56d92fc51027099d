"""What must hold for a household as a whole, before anything is started."""

from pathlib import Path

import pytest

from butler_resources.kinds import Manifests, load_manifests, parse_manifests
from butler_resources.render import capabilities_of, default_port, household_problems, triggers_of

EXAMPLES = Path(__file__).parents[3] / "examples"


def household(*replacements: tuple[str, str]) -> Manifests:
    texts = {path.name: path.read_text() for path in sorted((EXAMPLES / "household").glob("*.yaml"))}
    for old, new in replacements:
        assert any(old in text for text in texts.values())
        texts = {name: text.replace(old, new) for name, text in texts.items()}
    return parse_manifests(texts)


def lines(manifests: Manifests) -> list[str]:
    return [str(problem) for problem in household_problems(manifests)]


@pytest.mark.parametrize("name", ["demo", "household"])
def test_the_examples_have_no_problem(name: str) -> None:
    assert lines(load_manifests(EXAMPLES / name)) == []


def test_whoever_runs_no_sessions_needs_a_fallback_for_a_runtime_that_does() -> None:
    [found] = lines(household((", fallback: rules}", "}")))
    assert found.startswith("Butler messenger: spec.runtime.family: codex is not available here")
    assert "a messenger runs no sessions" in found


@pytest.mark.parametrize(
    ("replacement", "expected"),
    [
        (("  profile: general", "  profile: general\n  suspend: true"), "no running Butler with profile general"),
        (("  role: messenger", "  role: messenger\n  suspend: true"), "no running Butler with role messenger"),
        (
            ("  contactsFrom:\n    secretRef: {name: contacts, key: contacts.yaml}\n", ""),
            "Butler messenger: spec.contactsFrom: is missing",
        ),
        (
            ("  type: imap", "  type: imap\n  switchboardRef: switchbord"),
            "no Switchboard switchbord; did you mean switchboard?",
        ),
        (("  name: mail\nspec", "  name: travel\nspec"), "a Butler is called travel too"),
        (
            ("    trustedAuthservIds: [mx.example.com]", "    rules: [{priority: 1, type: sender_domain,"
             " value: bank.example, action: route_to, target: finanse}]"),
            "no specialist finanse; did you mean finance?",
        ),
        (
            ("    trustedAuthservIds: [mx.example.com]", "    rules: [{priority: 1, type: sender_domain,"
             " value: school.example, action: route_to, targets: [general, travle]}]"),
            "spec.routing.rules[0].targets[1]: no specialist travle; did you mean travel?",
        ),
        (
            ("    trustedAuthservIds: [mx.example.com]", "    trustedAuthservIds: [mx.example.com]\n"
             "  dispatch: {targets: [{butler: travle, runTimeoutSeconds: 300}]}"),
            "spec.dispatch.targets[0].butler: no butler travle; did you mean travel?",
        ),
    ],
)  # fmt: skip
def test_a_household_that_cannot_work_is_refused_readably(
    replacement: tuple[str, str], expected: str
) -> None:
    assert expected in lines(household(replacement))[0]


def test_two_connectors_for_one_endpoint_are_refused() -> None:
    text = (EXAMPLES / "household" / "connectors.yaml").read_text()
    twin = parse_manifests({"a": text, "b": text.replace("  name: ", "  name: second-").split("---")[0]})
    found = lines(Manifests(household().butlers, twin.connectors))
    expected = "spec.endpointIdentity: telegram:bot:household is already the endpoint of Connector telegram"
    assert expected in found[0]


MAIL = """
apiVersion: butlers.dev/v1alpha1
kind: Connector
metadata: {{name: {name}}}
spec:
  type: imap
  endpointIdentity: imap:{name}
  imap: {{host: {host}, username: home, mailbox: {mailbox}, passwordSecretRef: {{name: m, key: p}}}}
"""


@pytest.mark.spec("CNX-17.2")
@pytest.mark.parametrize(
    ("host", "mailbox", "refused"),
    [
        ("imap.example.org", "Bills", False),
        ("IMAP.example.org", "inbox", True),
        ("imap.example.net", "INBOX", False),
    ],
)
def test_parts_of_a_mailbox_have_nothing_in_common(host: str, mailbox: str, refused: bool) -> None:
    one = MAIL.format(name="one", host="imap.example.org", mailbox="INBOX")
    other = MAIL.format(name="other", host=host, mailbox=mailbox)
    found = lines(Manifests(household().butlers, parse_manifests({"a": one, "b": other}).connectors))
    expected = "mailbox INBOX of home at imap.example.org is already read by Connector one; give each its own"
    assert any(expected in line for line in found) is refused


def test_a_bot_has_one_reader() -> None:
    text = (EXAMPLES / "household" / "connectors.yaml").read_text()
    bot = text.split("---")[0]
    twin = bot.replace("  name: ", "  name: second-").replace("telegram:bot:household", "telegram:bot:other")
    found = lines(Manifests(household().butlers, parse_manifests({"a": bot, "b": twin}).connectors))
    assert any("spec.telegramBot.tokenSecretRef: the bot of Secret" in line for line in found)


@pytest.mark.parametrize(
    ("named", "refused"),
    [
        ("", False),  # imap: and the address, as the example's connector is called
        (", endpointIdentity: 'imap:other@example.com'", True),
        (", endpointIdentity: 'imap:other@example.com', name: Archive", False),
    ],
)
def test_a_mailbox_has_one_name_whoever_reads_it(named: str, refused: bool) -> None:
    said = ', tls: implicit, endpointIdentity: "imap:household@example.com"}'
    found = lines(
        household(
            (
                f"inbox: {{host: imap.example.com, port: 993{said}",
                f"inbox: {{host: IMAP.example.com, port: 993{named}}}",
            )
        )
    )
    expected = (
        "spec.modules.email.bot.inbox.endpointIdentity: is imap:other@example.com, but Connector mail reads"
    )
    assert [expected in line for line in found] == ([True] if refused else [])


def test_profiles_bring_ports_triggers_and_capabilities_unless_the_manifest_gives_some() -> None:
    butlers = {butler.name: butler for butler in household().butlers}
    assert {name: default_port(butler) for name, butler in butlers.items()} == {
        "switchboard": 40100, "general": 40101, "relationship": 40102, "health": 40103, "messenger": 40104,
        "finance": 40105, "travel": 40106,
    }  # fmt: skip
    assert triggers_of(butlers["finance"]) == ("receipts", "invoices", "bills", "subscriptions")
    given = household(
        ("  profile: finance", "  profile: finance\n  triggers: [taxes]\n  capabilities: [tax.de]")
    )
    finance = next(butler for butler in given.butlers if butler.name == "finance")
    assert (triggers_of(finance), capabilities_of(finance)) == (("taxes",), ("tax.de",))
