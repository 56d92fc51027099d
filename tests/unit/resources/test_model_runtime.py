"""A manifest that names a model: what each place makes of it, and who may not have its key (D28, D57)."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from butler_cli.local.plan import referenced_secrets
from butler_cli.local.secrets import MissingSecrets, Secrets
from butler_cli.local.state import StateDir
from butler_kit.config import parse_config
from butler_resources.kinds import Butler, Household, ManifestError, SecretRef, parse_manifests
from butler_resources.render import Surroundings, render_butler_env, render_butler_toml, runtime_problem
from butler_resources.render.cluster import references
from butler_resources.render.cluster.networkpolicy import provider_ports
from butler_resources.render.cluster.references import dispensable
from butler_resources.render.environment import IfThere
from butler_switchboard.settings import SwitchboardConfig
from tests.support.manifests import butler_of

PLACE = Surroundings(
    switchboard_url="http://127.0.0.1:40100/sse", jwks_file="/j", token_file="/t", revoked_file="/r"
)
REF = SecretRef(name="model", key="api-key")
VARIABLE = "BUTLER_MODEL_API_KEY"


def runtime(**more: Any) -> dict[str, Any]:
    api = {"family": "api", "provider": "openai", "model": "small", "baseUrl": "http://ollama:11434/v1"}
    return {**api, "apiKeySecretRef": {"name": "model", "key": "api-key"}, **more}


def switchboard(**more: Any) -> Butler:
    return butler_of({"role": "switchboard", "runtime": runtime(**more)})


def messenger(**more: Any) -> Butler:
    return butler_of({"role": "messenger", "runtime": runtime(**more)})


def specialist(**more: Any) -> Butler:
    return butler_of({"role": "specialist", "profile": "finance", "runtime": runtime(**more)})


def test_the_file_names_a_variable_and_the_service_reads_it_without_one() -> None:
    text = render_butler_toml(switchboard(fallbackModels=["tiny"]), Household(), port=40100)
    assert tomllib.loads(text)["runtime"]["api_key_env"] == VARIABLE
    assert "secret_ref" not in text
    config = parse_config(text, "butler.toml", SwitchboardConfig, {}).runtime
    assert (config.family, config.base_url, config.fallback_models) == (
        "api", "http://ollama:11434/v1", ("tiny",),
    )  # fmt: skip


def test_whoever_asks_a_model_gets_the_key_and_nobody_else() -> None:
    for butler in (switchboard(), specialist()):
        assert render_butler_env(butler, PLACE)[VARIABLE] == REF
        assert REF in references(butler)
    assert VARIABLE not in render_butler_env(messenger(fallback="rules"), PLACE)
    assert REF not in references(messenger(fallback="rules"))


@pytest.mark.parametrize("fallback", [None, "rules"])
def test_on_one_machine_a_key_may_be_missing_only_where_rules_stand_in(
    tmp_path: Path, fallback: str | None
) -> None:
    butler = switchboard() if fallback is None else switchboard(fallback=fallback)
    secrets = Secrets(StateDir(tmp_path), {}, manifests_of(butler))
    named = [ref for _, ref in referenced_secrets(manifests_of(butler))]
    env = {VARIABLE: render_butler_env(butler, PLACE)[VARIABLE]}
    if fallback is None:
        assert REF in named
        with pytest.raises(MissingSecrets):
            secrets.resolve(env)
    else:
        assert REF not in named
        assert secrets.resolve(env) == {}
    secrets.keep(REF, "sk-1")
    assert secrets.resolve(env) == {VARIABLE: "sk-1"}


CANARY = {"family": "api", "provider": "anthropic", "model": "new", "baseUrl": "https://models.example.org"}
CANARY_REF = SecretRef(name="newcomer", key="api-key")


def trying(**usual: Any) -> Butler:
    canary = {**CANARY, "apiKeySecretRef": {"name": "newcomer", "key": "api-key"}}
    return butler_of({"role": "switchboard", "runtime": {**usual, "canary": canary}})


@pytest.mark.spec("SWB-36.1", "SWB-03.7")
def test_a_family_that_is_tried_has_a_server_and_a_key_of_its_own() -> None:
    butler = trying(**runtime())
    text = render_butler_toml(butler, Household(), port=40100)
    config = parse_config(text, "butler.toml", SwitchboardConfig, {}).runtime
    assert "secret_ref" not in text
    assert config.on_trial is not None
    assert (config.api_key_env, config.on_trial.api_key_env) == (VARIABLE, "BUTLER_CANARY_API_KEY")
    assert provider_ports(butler) == (443, 11434)
    assert {REF, CANARY_REF} <= set(references(butler))
    env = render_butler_env(butler, PLACE)
    assert (env[VARIABLE], env["BUTLER_CANARY_API_KEY"]) == (REF, IfThere(CANARY_REF))


@pytest.mark.spec("SWB-36.1")
def test_the_key_of_a_family_that_is_tried_may_be_missing_since_the_usual_one_stands_in() -> None:
    alone, beside = trying(), trying(**runtime())
    assert dispensable(alone) == dispensable(beside) == (CANARY_REF,)
    assert provider_ports(alone) == (443,)
    for butler in (alone, beside):
        assert CANARY_REF not in [ref for _, ref in referenced_secrets(manifests_of(butler))]
    # One secret for both is needed as soon as the usual runtime needs it.
    same = runtime(canary={**CANARY, "apiKeySecretRef": {"name": "model", "key": "api-key"}})
    assert dispensable(butler_of({"role": "switchboard", "runtime": same})) == ()


@pytest.mark.spec("SWB-36.1")
def test_what_only_a_model_reads_may_be_said_where_one_is_tried_beside_rules() -> None:
    said = {"history": {"tokens": 2_000}, "maxTurns": 3, "maxToolCalls": 4, "transcripts": "redacted"}
    assert trying(**said).spec.runtime.history is not None
    for field, value in said.items():
        with pytest.raises(ManifestError, match=f"`{field}` needs a model"):
            butler_of({"role": "switchboard", "runtime": {field: value}})


def manifests_of(butler: Butler) -> Any:
    document = butler.model_dump(mode="json", by_alias=True, exclude_none=True, exclude_defaults=True)
    document |= {"apiVersion": "butlers.dev/v1alpha1", "kind": "Butler"}
    return parse_manifests({"switchboard.yaml": yaml.safe_dump(document)})


@pytest.mark.parametrize(
    ("more", "port"),
    [
        ({}, 11434),
        ({"baseUrl": "https://models.example.org/v1"}, 443),
        ({"baseUrl": "http://nas.local/v1"}, 80),
        ({"provider": "anthropic", "baseUrl": None}, 443),
    ],
)
def test_the_port_of_the_model_is_open_to_whoever_asks_it(more: dict[str, Any], port: int) -> None:
    said = {key: value for key, value in runtime(**more).items() if value is not None}
    assert provider_ports(butler_of({"role": "switchboard", "runtime": said})) == (port,)
    profile = {"role": "specialist", "profile": "finance"}
    assert provider_ports(butler_of({**profile, "runtime": said})) == (port,)
    assert provider_ports(butler_of(profile)) == ()
    assert provider_ports(butler_of({"role": "switchboard"})) == ()


def test_messenger_has_no_sessions_to_ask_a_model_in() -> None:
    for butler in (switchboard(), specialist(), messenger(fallback="rules")):
        assert runtime_problem(butler) is None
    said = runtime_problem(messenger())
    assert said is not None
    assert said.startswith("api is not available here: a messenger runs no sessions")
