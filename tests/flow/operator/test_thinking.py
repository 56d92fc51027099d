"""How a Switchboard's runtime shows on its resource: its own word, its key, the way to its model (D28, D57)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.support.cluster_resources import butler, database_secret, pod, rolled_out, secret, switchboard

Start = Callable[..., Any]
API = {"family": "api", "provider": "openai", "baseUrl": "http://llm.models.svc:8000/v1", "model": "small"}
KEY = {"apiKeySecretRef": {"name": "model", "key": "api-key"}}
FAULT = {"kind": "unauthorized", "message": "llm refuses the key", "since": "2026-01-01T00:00:00Z"}


def word(fault: dict[str, Any] | None, *, fallback: str | None = None) -> dict[str, Any]:
    return {"family": "api", "fallback": fallback, "fault": fault}


async def _serves(home: Any, **runtime: Any) -> None:
    """A Switchboard whose pod is there and ready."""
    home.api.have(database_secret())
    home.api.have(switchboard(runtime={**API, **runtime}))
    await home.until(lambda: home.api.find("Deployment", "butler-switchboard") is not None)
    rolled_out(home.api.find("Deployment", "butler-switchboard"))
    home.api.have(home.api.find("Deployment", "butler-switchboard"))
    home.api.have(pod("Butler", "switchboard"))


async def test_a_model_that_cannot_be_had_makes_the_resource_not_ready_until_it_can(start: Start) -> None:
    async with start() as home:
        home.registry.runtime = word(None)
        await _serves(home)
        await home.until(home.has("Butler", "switchboard", "RuntimeAvailable", "True", "Available"))
        await home.until(home.has("Butler", "switchboard", "Ready", "True"))
        home.registry.runtime = word(FAULT)
        await home.until(home.has("Butler", "switchboard", "Ready", "False", "RuntimeUnavailable"))
        said = home.api.condition("Butler", "switchboard", "Ready")["message"]
        assert said == "llm refuses the key; meanwhile its messages go to general"
        assert home.has("Butler", "switchboard", "Stalled", "False")(), "it heals without an edit"
        home.registry.runtime = word(None)
        await home.until(home.has("Butler", "switchboard", "Ready", "True"))


async def test_where_rules_stand_in_it_stays_ready_and_says_so(start: Start) -> None:
    async with start() as home:
        home.registry.runtime = word(FAULT, fallback="rules")
        await _serves(home, fallback="rules")
        await home.until(home.has("Butler", "switchboard", "RuntimeAvailable", "False", "RuntimeUnavailable"))
        said = home.api.condition("Butler", "switchboard", "RuntimeAvailable")["message"]
        assert said == "llm refuses the key; meanwhile rules routes instead"
        await home.until(home.has("Butler", "switchboard", "Ready", "True"))


async def test_a_switchboard_of_rules_is_not_asked_and_one_that_knows_no_such_question_is_believed(
    start: Start,
) -> None:
    async with start() as home:
        home.api.have(database_secret())
        home.api.have(switchboard())
        await home.until(lambda: len(home.registry.calls_to("/butlers")) > 2)
        assert home.registry.calls_to("/runtime") == []
        await _serves(home)
        await home.until(lambda: len(home.registry.calls_to("/runtime")) > 1)
        await home.until(home.has("Butler", "switchboard", "Ready", "True"))
        assert home.api.condition("Butler", "switchboard", "RuntimeAvailable") is None


def _environment(home: Any) -> dict[str, Any]:
    deployment = home.api.find("Deployment", "butler-switchboard")
    [container] = deployment["spec"]["template"]["spec"]["containers"]
    return {entry["name"]: entry for entry in container["env"]}


async def test_a_key_that_is_missing_is_named_and_waited_for(start: Start) -> None:
    async with start() as home:
        home.api.have(database_secret())
        home.api.have(switchboard(runtime=API | KEY))
        await home.until(home.has("Butler", "switchboard", "Ready", "False", "SecretNotFound"))
        assert home.api.find("Deployment", "butler-switchboard") is None
        home.api.have(secret("model", **{"api-key": "sk-1"}))
        await home.until(home.has("Butler", "switchboard", "Deployed", "True"))
        assert _environment(home)["BUTLER_MODEL_API_KEY"]["valueFrom"] == {
            "secretKeyRef": {"name": "model", "key": "api-key"}
        }


async def test_where_rules_stand_in_the_pods_run_without_the_key_and_are_replaced_once_it_is_there(
    start: Start,
) -> None:
    async with start() as home:
        home.api.have(database_secret())
        home.api.have(switchboard(runtime=API | KEY | {"fallback": "rules"}))
        await home.until(home.has("Butler", "switchboard", "Deployed", "True"))
        assert _environment(home)["BUTLER_MODEL_API_KEY"]["valueFrom"] == {
            "secretKeyRef": {"name": "model", "key": "api-key", "optional": True}
        }
        before = home.api.find("Deployment", "butler-switchboard")["spec"]["template"]
        home.api.have(secret("model", **{"api-key": "sk-1"}))
        await home.until(
            lambda: home.api.find("Deployment", "butler-switchboard")["spec"]["template"] != before
        )


async def test_the_way_to_the_model_is_open_and_its_key_in_no_configmap(start: Start) -> None:
    async with start() as home:
        home.api.have(secret("model", **{"api-key": "sk-household"}))
        await _serves(home, **KEY)
        policy = home.api.find("NetworkPolicy", "butler-switchboard")
        ports = [port["port"] for rule in policy["spec"]["egress"] for port in rule.get("ports", [])]
        assert 8000 in ports
        text = home.api.find("ConfigMap", "butler-switchboard")["data"]["butler.toml"]
        assert 'api_key_env = "BUTLER_MODEL_API_KEY"' in text
        assert "sk-household" not in text


async def test_a_specialists_model_shows_on_its_own_resource_by_its_own_word(start: Start) -> None:
    async with start() as home:
        home.registry.runtime = {"family": "rules", "fallback": None, "fault": None, "butlers": {}}
        home.api.have(database_secret())
        home.api.have(switchboard())
        home.api.have(butler("finance", runtime=API))
        await home.until(lambda: home.api.find("Deployment", "butler-finance") is not None)
        rolled_out(home.api.find("Deployment", "butler-finance"))
        home.api.have(home.api.find("Deployment", "butler-finance"))
        home.api.have(pod("Butler", "finance"))
        home.registry.runtime["butlers"] = {"finance": word(FAULT)}
        await home.until(home.has("Butler", "finance", "RuntimeAvailable", "False", "RuntimeUnavailable"))
        said = home.api.condition("Butler", "finance", "RuntimeAvailable")["message"]
        assert said.endswith("meanwhile its messages wait for an outage, else end in an error")
        await home.until(home.has("Butler", "finance", "Ready", "False", "RuntimeUnavailable"))
        home.registry.runtime = {**home.registry.runtime, "butlers": {"finance": word(None)}}
        await home.until(home.has("Butler", "finance", "RuntimeAvailable", "True", "Available"))
        await home.until(home.has("Butler", "finance", "Ready", "True"))


LAMPS = {
    "name": "lamps",
    "url": "http://lamps.home.svc:8765/mcp",
    "tokenSecretRef": {"name": "lamps", "key": "token"},
    "allow": ["list", "switch"],
}


async def test_a_butler_of_its_own_reaches_its_tool_servers_and_says_when_it_cannot(start: Start) -> None:
    async with start() as home:
        home.registry.runtime = {"family": "rules", "fallback": None, "fault": None, "butlers": {}}
        home.api.have(database_secret())
        home.api.have(switchboard())
        made = butler(
            "home", runtime=API, instructions="You look after lamps.", triggers=["lamps"], tools=[LAMPS]
        )
        del made["spec"]["profile"]
        home.api.have(made)
        await home.until(lambda: home.api.find("Deployment", "butler-home") is not None)
        policy = home.api.find("NetworkPolicy", "butler-home")
        ports = [port["port"] for rule in policy["spec"]["egress"] for port in rule.get("ports", [])]
        assert {8000, 8765} <= set(ports)
        text = home.api.find("ConfigMap", "butler-home")["data"]["butler.toml"]
        assert 'token_env = "BUTLER_TOOL_LAMPS_TOKEN"' in text
        deployment = home.api.find("Deployment", "butler-home")
        [container] = deployment["spec"]["template"]["spec"]["containers"]
        given = {entry["name"]: entry for entry in container["env"]}
        wanted = {"name": "lamps", "key": "token", "optional": True}
        assert given["BUTLER_TOOL_LAMPS_TOKEN"]["valueFrom"] == {"secretKeyRef": wanted}
        rolled_out(deployment)
        home.api.have(deployment)
        home.api.have(pod("Butler", "home"))
        away = {"kind": "tools_unavailable", "message": "lamps cannot be reached"}
        home.registry.runtime["butlers"] = {"home": word(away)}
        await home.until(home.has("Butler", "home", "ToolsReachable", "False", "ToolsUnavailable"))
        said = home.api.condition("Butler", "home", "ToolsReachable")["message"]
        assert said == "lamps cannot be reached; meanwhile it works without, and says so"
        await home.until(home.has("Butler", "home", "RuntimeAvailable", "True", "Available"))
        await home.until(home.has("Butler", "home", "Ready", "True"))
        home.registry.runtime = {**home.registry.runtime, "butlers": {"home": word(None)}}
        await home.until(home.has("Butler", "home", "ToolsReachable", "True", "Reached"))
        home.registry.runtime = {**home.registry.runtime, "butlers": {"home": word(away)}}
        await home.until(home.has("Butler", "home", "ToolsReachable", "False"))
        home.api.edit("Butler", "home", lambda body: body["spec"].pop("tools"))
        await home.until(lambda: home.api.condition("Butler", "home", "ToolsReachable") is None)
        assert home.api.condition("Butler", "home", "RuntimeAvailable") is not None
