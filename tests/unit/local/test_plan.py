"""Which processes a household is, on which ports, with which environment."""

import importlib.util
import itertools
from pathlib import Path

import pytest

from butler_cli.errors import UserError
from butler_cli.local.endpoints import endpoints_of
from butler_cli.local.environment import SHARED_MODULES
from butler_cli.local.plan import (
    ProcessSpec,
    Stage,
    modules_of,
    plan_processes,
    referenced_secrets,
    running,
    stages_of,
)
from butler_cli.local.ports import assign_ports
from butler_cli.local.state import StateDir
from butler_resources.kinds import Manifests, SecretRef, load_manifests, parse_manifests

EXAMPLES = Path(__file__).parents[3] / "examples"
STATE = StateDir(Path("/state"))


def household(*replacements: tuple[str, str], name: str = "demo") -> Manifests:
    texts = {path.name: path.read_text() for path in sorted((EXAMPLES / name).glob("*.yaml"))}
    for old, new in replacements:
        texts = {file: text.replace(old, new) for file, text in texts.items()}
    return running(parse_manifests(texts))


def free() -> itertools.count:
    return itertools.count(30_000)


def test_processes_start_with_switchboard_and_end_with_the_dashboard() -> None:
    manifests = household()
    ports = assign_ports(manifests, base=None, free=free())
    specs = plan_processes(manifests, ports=ports, state=STATE, python="/venv/python")
    assert [(stage, [spec.name for spec in members]) for stage, members in stages_of(specs)] == [
        (Stage.SWITCHBOARD, ["switchboard"]),
        (Stage.MESSENGER, ["messenger"]),
        (Stage.SPECIALISTS, ["general", "relationship", "health", "finance", "travel"]),
        (Stage.CONNECTORS, ["telegram", "mail", "webhook"]),
        (Stage.DASHBOARD, ["dashboard"]),
    ]
    argv = {spec.name: spec.argv for spec in specs}
    assert argv["finance"] == (
        "/venv/python", "-m", "butler_specialist", "--config", "/state/config/finance/butler.toml",
    )  # fmt: skip
    assert argv["mail"] == ("/venv/python", "-m", "butler_connectors")


def test_a_household_loads_in_advance_what_its_own_sources_and_channels_need_and_no_more() -> None:
    whole = modules_of(household())
    assert {name for name in whole if "connectors" in name} == {
        f"butler_connectors.{kind}.app" for kind in ("telegram_bot", "imap", "webhook")
    }
    assert {name for name in whole if "channels" in name} == {
        f"butler_messenger.delivery.channels.{channel}" for channel in ("telegram", "email")
    }
    without = Manifests(
        butlers=tuple(butler for butler in household().butlers if butler.spec.role != "messenger"),
        connectors=tuple(one for one in household().connectors if one.spec.type == "webhook"),
    )
    assert modules_of(without) == ("butler_connectors.webhook.app",)


@pytest.mark.parametrize("module", [*SHARED_MODULES, *modules_of(household())])
def test_what_is_loaded_in_advance_exists(module: str) -> None:
    assert importlib.util.find_spec(module) is not None


def members_of(manifests: Manifests) -> list[ProcessSpec]:
    """The processes that speak to Switchboard, and Switchboard."""
    ports = assign_ports(manifests, base=None, free=free())
    specs = plan_processes(manifests, ports=ports, state=STATE, python="python")
    return [spec for spec in specs if spec.stage is not Stage.DASHBOARD]


def test_only_switchboard_gets_the_signing_key_and_everyone_else_a_token() -> None:
    for spec in members_of(household()):
        is_switchboard = spec.stage is Stage.SWITCHBOARD
        assert ("BUTLERS_SIGNING_KEY_FILE" in spec.env) is is_switchboard
        assert (spec.env.get("BUTLERS_TOKEN_FILE") == f"/state/tokens/{spec.name}.jwt") is not is_switchboard
        assert (spec.grant is None) is is_switchboard
        assert ("BUTLERS_DATABASE_URL" in spec.env) is (spec.stage is not Stage.CONNECTORS)


def test_the_dashboard_gets_no_key_and_no_token_and_a_database_url_of_its_own() -> None:
    manifests = household()
    ports = assign_ports(manifests, base=None, free=free())
    *_, dashboard = plan_processes(manifests, ports=ports, state=STATE, python="/venv/python")
    assert dashboard.argv == ("/venv/python", "-m", "butler_dashboard")
    assert dashboard.grant is None
    assert dict(dashboard.env) == {
        "BUTLERS_DATABASE_URL": SecretRef(name="database-dashboard", key="url"),
        "BUTLERS_JWKS_FILE": "/state/keys/jwks.json",
        "BUTLERS_REVOKED_FILE": "/state/keys/revoked.json",
        "BUTLERS_HOST": "127.0.0.1",
        "BUTLERS_PORT": "40200",
        "BUTLERS_SWITCHBOARD_SCHEMA": "switchboard",
        "BUTLERS_MESSENGER_SCHEMA": "messenger",
        "BUTLERS_TIMEZONE": "Europe/Berlin",
        "BUTLERS_SWITCHBOARD_MCP_URL": "http://127.0.0.1:40100/mcp",
    }


def test_the_dashboard_exports_to_the_households_collector_and_trusts_its_authorities_there() -> None:
    told = "household: {telemetry: {otlpEndpoint: 'https://collector.example'}, "
    with_bundle = household(("household: {", f"{told}caBundleRef: {{configMap: company-ca}}, "))
    found = []
    for manifests in (household(("household: {", told)), with_bundle):
        ports = assign_ports(manifests, base=None, free=free())
        *_, dashboard = plan_processes(manifests, ports=ports, state=STATE, python="python")
        found.append((dashboard.env["OTEL_EXPORTER_OTLP_ENDPOINT"], dashboard.env.get("BUTLERS_CA_FILE")))
    file = "/state/config/dashboard/authorities.pem"
    assert found == [("https://collector.example", None), ("https://collector.example", file)]


def test_a_connector_s_token_is_bound_to_its_source_and_tier() -> None:
    manifests = household()
    ports = assign_ports(manifests, base=None, free=free())
    specs = plan_processes(manifests, ports=ports, state=STATE, python="python")
    mail = next(spec for spec in specs if spec.name == "mail")
    assert mail.grant is not None
    assert mail.grant.subject == "mail"
    assert mail.grant.claims == {
        "role": "connector",
        "connector": {
            "type": "imap",
            "endpoint_identity": "imap:household@example.org",
            "max_tier": "default",
        },
    }


def test_what_is_suspended_does_not_run() -> None:
    manifests = household(("  type: imap", "  suspend: true\n  type: imap"))
    assert [connector.name for connector in manifests.connectors] == ["telegram", "webhook"]


def test_ports_follow_the_manifest_else_the_layout_of_the_specification() -> None:
    manifests = household(("  profile: finance", "  profile: finance\n  port: 41234"))
    ports = assign_ports(manifests, base=None, free=free())
    assert ports.by_process == {
        "switchboard": 40100, "messenger": 40104, "general": 40101, "relationship": 40102, "health": 40103,
        "finance": 41234, "travel": 40106, "telegram": 40120, "mail": 40121, "webhook": 40122,
        "dashboard": 40200,
    }  # fmt: skip
    assert ports.webhooks == {"webhook": 40142}
    household_ports = assign_ports(household(name="household"), base=None, free=free())
    assert household_ports.webhooks == {"webhook": 40180}


def test_a_port_base_moves_the_whole_layout() -> None:
    ports = assign_ports(household(name="household"), base=50_000, free=free())
    assert ports.by_process["switchboard"] == 50_000
    assert ports.by_process["travel"] == 50_006
    assert ports.by_process["telegram"] == 50_020
    assert ports.by_process["dashboard"] == 50_100
    assert ports.webhooks == {"webhook": 50_042}


def test_port_base_zero_takes_free_ports_for_everything() -> None:
    manifests = household()
    ports = assign_ports(manifests, base=0, free=free())
    taken = [*ports.by_process.values(), *ports.webhooks.values()]
    assert sorted(taken) == list(range(30_000, 30_000 + len(taken)))


def test_two_processes_on_one_port_are_refused_by_name() -> None:
    manifests = household(("  profile: finance", "  profile: finance\n  port: 40106"))
    with pytest.raises(UserError, match="finance and travel would share port 40106"):
        assign_ports(manifests, base=None, free=free())
    with pytest.raises(UserError, match="choose a lower --port-base"):
        assign_ports(household(), base=65_500, free=free())


def test_every_secret_that_the_manifests_name_is_found_before_anything_starts() -> None:
    named = {(owner, ref.name) for owner, ref in referenced_secrets(household())}
    assert named == {
        ("Butler messenger", "contacts"),
        ("Butler messenger", "telegram-bot"),
        ("Butler messenger", "mail-account"),
        ("Connector telegram", "telegram-bot"),
        ("Connector mail", "mail-account"),
        ("Connector webhook", "webhook"),
    }


def test_environment_of_the_manifest_reaches_its_process_as_a_reference() -> None:
    extra = "  profile: finance\n  env: [{name: BANK_KEY, secretRef: {name: bank, key: api-key}}]"
    manifests = household(("  profile: finance", extra))
    ports = assign_ports(manifests, base=None, free=free())
    specs = plan_processes(manifests, ports=ports, state=STATE, python="python")
    finance = next(spec for spec in specs if spec.name == "finance")
    assert finance.env["BANK_KEY"] == SecretRef(name="bank", key="api-key")


def test_endpoints_name_every_service_and_provider() -> None:
    manifests = household()
    ports = assign_ports(manifests, base=None, free=free())
    document = endpoints_of(manifests, ports=ports, dsn="postgresql://x")
    assert document["switchboard"] == {
        "sse": "http://127.0.0.1:40100/sse",
        "mcp": "http://127.0.0.1:40100/mcp",
        "ops": "http://127.0.0.1:40100/ops/v1",
        "metrics": "http://127.0.0.1:40100/metrics",
    }
    assert document["messenger"]["ops"] == "http://127.0.0.1:40104/ops/v1"
    assert document["database"] == {"dsn": "postgresql://x"}
    assert document["webhook"] == "http://127.0.0.1:40142"
    assert (document["imap"], document["smtp"]) == ("providers:40143", "providers:40125")
    assert document["telegram_api"] == "http://providers:40181"
    assert document["dashboard"] == "http://127.0.0.1:40200"


def test_a_household_without_a_channel_has_no_endpoint_for_it() -> None:
    manifests = Manifests(butlers=load_manifests(EXAMPLES / "demo").butlers[:1])
    ports = assign_ports(manifests, base=None, free=free())
    document = endpoints_of(manifests, ports=ports, dsn="d")
    assert [document[key] for key in ("webhook", "imap", "smtp", "telegram_api")] == [None] * 4
