"""A directory of manifests is loaded whole, or every mistake in it is named with a place and a remedy."""

import tomllib
from pathlib import Path

import pytest

from butler_resources.kinds import ManifestError, load_manifests, parse_contacts, parse_manifests
from butler_resources.render import render_butler_toml

EXAMPLES = Path(__file__).parents[3] / "examples"

SPECIALIST = """
apiVersion: butlers.dev/v1alpha1
kind: Butler
metadata: {name: finance}
spec: {role: specialist, profile: finance}
"""
IMAP = """
apiVersion: butlers.dev/v1alpha1
kind: Connector
metadata: {name: mail}
spec:
  type: imap
  endpointIdentity: imap:a@example.org
  imap: {host: h, username: u, passwordSecretRef: {name: mail, key: password}}
"""


def refusals(*texts: str) -> list[str]:
    with pytest.raises(ManifestError) as caught:
        parse_manifests({f"file{number}.yaml": text for number, text in enumerate(texts)})
    return str(caught.value).splitlines()


@pytest.mark.parametrize("name", ["demo", "household"])
def test_the_examples_load(name: str) -> None:
    manifests = load_manifests(EXAMPLES / name)
    assert {butler.name for butler in manifests.butlers} == {
        "switchboard", "messenger", "general", "relationship", "health", "finance", "travel",
    }  # fmt: skip
    assert [connector.spec.type for connector in manifests.connectors] == ["telegram_bot", "imap", "webhook"]


def test_a_misspelt_key_names_its_path_and_what_was_meant() -> None:
    assert refusals(SPECIALIST.replace("profile:", "proflie:")) == [
        "file0.yaml: Butler finance: spec.proflie: unknown key; did you mean profile?"
    ]
    assert refusals(IMAP.replace("username:", "user_name:")) == [
        "file0.yaml: Connector mail: spec.imap.username: is missing",
        "file0.yaml: Connector mail: spec.imap.user_name: unknown key; did you mean username?",
    ]


def test_one_wrong_entry_of_a_list_is_told_once() -> None:
    manifest = """
apiVersion: butlers.dev/v1alpha1
kind: Butler
metadata: {name: messenger}
spec:
  role: messenger
  runtime: {family: rules}
  modules: {approvals: {gatedTools: [telegram_send_mesage]}}
"""
    [said] = refusals(manifest)
    assert said.startswith(
        "file0.yaml: Butler messenger: spec.modules.approvals.gatedTools[0]: expected one of: "
    )
    assert said.endswith("did you mean telegram_send_message?")


SETTINGS = {
    "dispatch: {runTimeoutSecond: 5}": "dispatch.runTimeoutSecond: unknown key; did you mean runTimeoutSeconds?",
    "dispatch: {tiers: {urgent: {}}}": "dispatch.tiers.urgent: unknown key; expected one of: default, ",
    "dispatch: {circuit: {failures: 0}}": "dispatch.circuit.failures: expected it to be greater than or equal to 1",
    "retention: {inboxDays: forever}": "retention.inboxDays: expected a whole number",
    "routing: {confidenceThreshold: 72}": "routing.confidenceThreshold: expected it to be less than or equal to 1",
    "buffer: {tiers: {default: {backlog: 5}}}": "buffer.tiers.default.backlog: unknown key; did you mean maxBacklog?",
    "household: {timezone: Mars/Base}": "household.timezone: 'Mars/Base' is no time zone",
    "household: {currency: EURO}": "household.currency: 'EURO' is no currency; expected a code of",
    "household: {currency: EUX}": "household.currency: 'EUX' is no currency; expected a code of ISO 4217 such as EUR",
    "household: {motto: carpe}": "household.motto: unknown key; expected one of: caBundleRef, currency, digestAt, "
    "language, quietHours, remindBefore, remindOf, telemetry, timezone",
    "household: {language: it}": "household.language: expected one of",
    "household: {language: eng}": "household.language: expected one of: en, de, fr, es; did you mean en?",
    "household: {digestAt: 7:30}": "household.digestAt: expected text; put it in quotes, for YAML reads 7:30",
    "household: {quietHours: {start: 22:00, end: '07:00'}}": "household.quietHours.start: expected text; put it",
    "household: {digestAt: '7:30'}": "household.digestAt:",
    "household: {remindOf: [debts]}": "household.remindOf[0]: expected one of",
    "household: {remindBefore: {bills: [31]}}": "household.remindBefore.bills[0]: ",
    "household: {remindBefore: {birthdays: [7, 7]}}": "household.remindBefore: `birthdays` lists a number of "
    "days twice; remove one",
    "household: {remindBefore: {departures: [0]}}": "household.remindBefore.departures[0]: ",
    "household: {remindBefore: {tablets: [1]}}": "household.remindBefore.tablets: unknown key",
    "schedules: [{name: a, cron: '0 27 * * *', job: eligibility-sweep}]": "schedules[0].cron: '0 27 * * *' is no cron",
    "telemetry: {logLevel: loud}": "telemetry.logLevel: expected one of",
}


@pytest.mark.parametrize("block", SETTINGS)
def test_a_mistake_in_a_setting_is_named_with_file_and_path(block: str) -> None:
    switchboard = SPECIALIST.replace("{name: finance}", "{name: switchboard}")
    (line,) = refusals(switchboard.replace("specialist, profile: finance", f"switchboard, {block}"))
    assert line.startswith(f"file0.yaml: Butler switchboard: spec.{SETTINGS[block]}")


def test_snake_case_is_not_accepted_in_place_of_camel_case() -> None:
    lines = refusals(IMAP.replace("endpointIdentity", "endpoint_identity"))
    assert "did you mean endpointIdentity?" in lines[1]


def test_every_mistake_of_every_document_is_reported_at_once() -> None:
    lines = refusals(f"{SPECIALIST.replace('finance}', 'Finance}', 1)}---{IMAP.replace('imap,', 'imap')}",
                     IMAP.replace("host: h", "port: '993'"))  # fmt: skip
    assert lines == [
        "file0.yaml: document 1: Butler Finance: metadata.name: expected small letters, digits and hyphens, "
        "such as my-butler",
        "file1.yaml: Connector mail: spec.imap.host: is missing",
        "file1.yaml: Connector mail: spec.imap.port: expected a whole number",
    ]


def test_addresses_and_lists_that_cannot_be_are_told_without_a_pattern_or_a_type() -> None:
    tools = "profile: finance, tools: [{name: t, url: '127.0.0.1:1/mcp', allow: []}]}"
    assert refusals(SPECIALIST.replace("profile: finance}", tools)) == [
        "file0.yaml: Butler finance: spec.tools[0].url: expected an address such as https://host/path, without a user, "
        "a ? or a #",
        "file0.yaml: Butler finance: spec.tools[0].allow: expected at least 1 entry",
    ]


def test_an_unknown_kind_or_version_says_what_is_known() -> None:
    assert refusals(SPECIALIST.replace("kind: Butler", "kind: Buttler")) == [
        "file0.yaml: kind: unknown kind Buttler; did you mean Butler?"
    ]
    assert refusals(SPECIALIST.replace("v1alpha1", "v1")) == [
        "file0.yaml: apiVersion: kind Butler needs apiVersion butlers.dev/v1alpha1"
    ]
    assert refusals("- a list") == ["file0.yaml: expected apiVersion, kind, metadata and spec"]


def test_what_only_a_cluster_understands_is_passed_over() -> None:
    beside = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: providers}\nspec: {replicas: 1}"
    manifests = parse_manifests({"a.yaml": SPECIALIST, "b.yaml": beside})
    assert [butler.name for butler in manifests.butlers] == ["finance"]
    assert "unknown kind" in refusals(beside.replace("Deployment", "Deploiment"))[0]


def test_the_same_name_twice_names_both_places() -> None:
    assert refusals(SPECIALIST, SPECIALIST) == [
        "file1.yaml: metadata.name: Butler finance is already in file0.yaml"
    ]


def test_a_file_in_another_encoding_and_a_file_in_place_of_a_folder_are_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_bytes(b"kind: Butler\nname: caf\xe9\n")
    with pytest.raises(ManifestError, match="line 2: not UTF-8; save the file in that encoding"):
        load_manifests(tmp_path)
    with pytest.raises(ManifestError, match="is a file; give a directory of manifests"):
        load_manifests(tmp_path / "x.yaml")


def test_broken_yaml_names_line_and_column() -> None:
    assert refusals("kind: [Butler\nmetadata: x")[0].startswith("file0.yaml: line 2, column")
    assert "the key kind is given twice" in refusals("kind: Butler\nkind: Butler")[0]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("type: imap", "type: gmail"), "type gmail is not available yet; use imap with an app password"),
        (("type: imap", "type: webhook"), "type webhook needs exactly one block, `webhook`; give"),
        (
            ("  imap:", "  webhook: {tokenSecretRef: {name: w, key: t}}\n  imap:"),
            "type imap needs exactly one block, `imap`; give that one",
        ),
        (("  imap:", "  replicas: 2\n  imap:"), "for more, set `checkpoint: switchboard`"),
        (
            ("  imap:", "  checkpoint: switchboard\n  storage: {size: 1Gi}\n  imap:"),
            "Switchboard keeps the checkpoint; remove `storage`",
        ),
        (("  imap:", "  checkpoint: switchboard\n  replicas: 9\n  imap:"), "less than or equal to 5"),
        (("type: imap", "type: imaps"), "spec.type: expected one of: telegram_bot, imap, gmail, webhook"),
        (("  imap:", "  start: yesterday\n  imap:"), "expected now, last_N (last_50) or a date (2026-01-31)"),
        (("  imap:", "  heartbeatIntervalSeconds: 10\n  imap:"), "greater than or equal to 30"),
        (("  imap:", "  heartbeatIntervalSeconds: 151\n  imap:"), "more than the 300 s"),
    ],
)
def test_a_connector_that_cannot_work_is_refused_readably(change: tuple[str, str], expected: str) -> None:
    assert expected in refusals(IMAP.replace(*change, 1))[0]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("role: specialist", "a specialist needs `profile`"),
        ("role: specialist, profile: travel, routing: {}", "`routing` belongs to role switchboard"),
        ("role: specialist, profile: travel, buffer: {overflow: shed}", "`buffer.overflow` belongs to role"),
        ("role: specialist, profile: travel, delivery: {}", "`delivery` belongs to role messenger"),
        ("role: specialist, profile: travel, contactsFrom: {secretRef: {name: c, key: k}}", "`contactsFrom`"),
        ("role: messenger", "the butler with role messenger must be named messenger"),
        ("role: specialist, profile: travel, timezone: Mars/Base", "'Mars/Base' is no time zone"),
        ("role: specialist, profile: travel, runtime: {model: gpt}", "family rules takes no model"),
        (
            "role: specialist, profile: travel, rollups: {engine: sql}",
            "`rollups` belongs to role switchboard",
        ),
        (
            "role: specialist, profile: travel, env: [{name: BUTLERS_HOST, secretRef: {name: a, key: b}}]",
            "names that start with BUTLERS_, SWITCHBOARD_, CONNECTOR_ are reserved",
        ),
        (
            "role: specialist, profile: travel, env: [{name: LD_PRELOAD, secretRef: {name: a, key: b}}]",
            "decide which code a pod runs",
        ),
    ],
)
def test_a_butler_that_cannot_work_is_refused_readably(spec: str, expected: str) -> None:
    text = SPECIALIST.replace("role: specialist, profile: finance", spec)
    assert expected in refusals(text)[0]


def test_a_refusal_never_repeats_a_value_that_may_be_a_secret() -> None:
    text = IMAP.replace(
        "passwordSecretRef: {name: mail, key: password}", "passwordSecretRef: hunter2-hunter2"
    )
    assert "hunter2" not in "".join(refusals(text))
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {k: hunter2-hunter2}\n"
    assert "hunter2" not in "".join(refusals(secret))


def test_a_date_in_yaml_stays_the_text_that_was_written() -> None:
    text = IMAP.replace("  imap:", "  start: 2026-01-31\n  imap:", 1)
    assert parse_manifests({"f": text}).connectors[0].spec.start == "2026-01-31"


def test_an_empty_or_missing_directory_says_what_to_give(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match="no such directory"):
        load_manifests(tmp_path / "nowhere")
    with pytest.raises(ManifestError, match=r"has no \*.yaml file"):
        load_manifests(tmp_path)


def test_a_secret_among_the_manifests_answers_references() -> None:
    manifests = load_manifests(EXAMPLES / "demo")
    contacts = manifests.butler("messenger").spec.contacts_from  # type: ignore[union-attr]
    assert contacts is not None
    text = manifests.secret_value(contacts.secret_ref)
    assert text is not None
    assert [(c.name, c.role) for c in parse_contacts(text, where="contacts").root] == [
        ("Ada Example", "owner"),
        ("Ben Example", "member"),
    ]
    assert manifests.secret_value(contacts.secret_ref.model_copy(update={"key": "other"})) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[]", "expected exactly one contact with role owner; found none"),
        ("[{name: A, role: owner}, {name: B, role: owner}]", "found A and B"),
        ("[{name: A, role: ownr}]", "[0].role: expected one of: owner, adult, child, guest, member, other"),
        ("[{name: A, role: owner, phone: 1}]", "[0].phone: unknown key"),
        ("[{name: A, role: owner, timezone: Europe/Berln}]", "[0].timezone: 'Europe/Berln' is no time zone"),
        ("[{name: A, role: owner, language: nl}]", "[0].language: expected one of: en, de, fr, es"),
        ("[{name: A, role: owner, timeZone: UTC}]", "did you mean timezone?"),
        (
            '[{name: A, role: owner, quietHours: {start: "22:00", end: "22:00"}}]',
            "[0].quietHours: start and end are both 22:00",
        ),
        (
            '[{name: A, role: owner, quietHours: {start: "22:00", end: "07:00"}, digestAt: "06:00"}]',
            "[0]: A: digestAt is 06:00, in the quietHours from 22:00 to 07:00",
        ),
        (
            "[{name: A, role: owner, identifiers: [{type: email, value: a@x.org}]},"
            " {name: B, role: other, identifiers: [{type: email, value: A@x.org}]}]",
            "email a@x.org is given more than once",
        ),
    ],
)
def test_contacts_that_break_a_rule_are_refused_readably(text: str, expected: str) -> None:
    with pytest.raises(ManifestError) as caught:
        parse_contacts(text, where="contacts")
    assert expected in str(caught.value)


def test_what_proves_a_sender_reaches_switchboards_configuration() -> None:
    text = """
apiVersion: butlers.dev/v1alpha1
kind: Butler
metadata: {name: switchboard}
spec:
  role: switchboard
  routing: {trustedAuthservIds: [mx.example.org], trustedEndpoints: ["imap:home@example.org"]}
"""
    manifests = parse_manifests({"a.yaml": text})
    rendered = render_butler_toml(manifests.butlers[0], manifests.household, port=40100)
    assert tomllib.loads(rendered)["routing"] == {
        "trusted_authserv_ids": ["mx.example.org"],
        "trusted_endpoints": ["imap:home@example.org"],
    }


def test_a_key_that_is_left_empty_is_as_good_as_absent() -> None:
    text = SPECIALIST.replace("profile: finance}", "profile: finance, triggers: , replicas: }")
    spec = parse_manifests({"f": text}).butlers[0].spec
    assert (spec.triggers, spec.replicas) == ((), 1)


def test_a_link_that_leads_nowhere_is_no_manifest_that_nobody_misses(tmp_path: Path) -> None:
    (tmp_path / "finance.yaml").write_text(SPECIALIST, encoding="utf-8")
    (tmp_path / ".#finance.yaml").symlink_to("ada@home.1:2")
    assert [butler.name for butler in load_manifests(tmp_path).butlers] == ["finance"]
    (tmp_path / "health.yaml").symlink_to(tmp_path / "gone.yaml")
    with pytest.raises(ManifestError, match=r"health\.yaml: cannot be read: No such file or directory"):
        load_manifests(tmp_path)
