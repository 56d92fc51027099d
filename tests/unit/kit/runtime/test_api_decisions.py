"""What family `api` decides without a network: faults, pauses, whether a question can be asked at all."""

from __future__ import annotations

import subprocess
import sys

import pytest

from butler_contracts.model_urls import key_in_clear
from butler_kit.config import RuntimeConfig
from butler_kit.runtime.api import Endpoint, FaultKind, ModelFault
from butler_kit.runtime.api.faults import fault_of_status, pause_before


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, FaultKind.REFUSED),
        (401, FaultKind.UNAUTHORIZED),
        (403, FaultKind.UNAUTHORIZED),
        (404, FaultKind.MODEL_NOT_FOUND),
        (408, FaultKind.RATE_LIMITED),
        (413, FaultKind.REFUSED),
        (422, FaultKind.REFUSED),
        (429, FaultKind.RATE_LIMITED),
        (500, FaultKind.SERVER_ERROR),
        (529, FaultKind.SERVER_ERROR),
    ],
)
def test_a_status_is_a_kind_of_fault(status: int, kind: FaultKind) -> None:
    assert fault_of_status(status, host="h:1", model="m", retry_after_s=None).kind is kind


@pytest.mark.parametrize(
    ("kind", "retry_after_s", "attempt", "left_s", "pause_s"),
    [
        (FaultKind.SERVER_ERROR, None, 1, 30.0, 0.25),
        (FaultKind.SERVER_ERROR, None, 2, 30.0, 0.5),
        (FaultKind.SERVER_ERROR, None, 3, 30.0, None),
        (FaultKind.RATE_LIMITED, 7.0, 1, 30.0, 7.0),
        (FaultKind.RATE_LIMITED, 29.8, 1, 30.0, None),
        (FaultKind.UNREACHABLE, None, 1, 0.6, None),
        (FaultKind.UNAUTHORIZED, None, 1, 30.0, None),
        (FaultKind.MODEL_NOT_FOUND, None, 1, 30.0, None),
        (FaultKind.NO_ANSWER, None, 1, 30.0, None),
        (FaultKind.REFUSED, None, 1, 30.0, None),
    ],
)
def test_only_what_may_pass_is_asked_again_and_only_in_the_time_that_is_left(
    kind: FaultKind, retry_after_s: float | None, attempt: int, left_s: float, pause_s: float | None
) -> None:
    fault = ModelFault(kind, "words", retry_after_s=retry_after_s)
    assert pause_before(fault, attempt=attempt, attempts=3, left_s=left_s) == pause_s


@pytest.mark.parametrize(
    ("url", "in_clear"),
    [
        ("https://models.example.org/v1", False),
        ("http://models.example.org/v1", True),
        ("http://8.8.8.8/v1", True),
        ("http://134744072/v1", True),
        ("http://0x8080808/v1", True),
        ("http://10.0.0.1.example.org/v1", True),
        ("http://10.0.0.1@models.example.org/v1", True),
        ("http://localhost:1@models.example.org/v1", True),
        ("http://172.32.0.1/v1", True),
        ("http://[2001:db8::1]/v1", True),
        ("http://localhost.example.org/v1", True),
        ("http://127.0.0.1:11434/v1", False),
        ("http://10.1.2.3/v1", False),
        ("http://172.16.0.1:8000/v1", False),
        ("http://192.168.1.2:8000/v1", False),
        ("http://[::1]:8080/v1", False),
        ("http://[fd00::1]/v1", False),
        ("http://ollama:11434/v1", False),
        ("http://llm.models.svc:8000/v1", False),
        ("http://llm.models.svc.cluster.local/v1", False),
        ("http://nas.local/v1", False),
        ("http://box.home.arpa/v1", False),
    ],
)
def test_a_key_travels_in_clear_only_in_ones_own_network(url: str, in_clear: bool) -> None:
    assert key_in_clear(url) is in_clear


def endpoint(env: dict[str, str], **said: object) -> Endpoint:
    return Endpoint.of(RuntimeConfig.model_validate({"family": "api", "model": "m", **said}), env)


def test_a_server_of_ones_own_needs_no_key() -> None:
    endpoint({}, provider="openai", base_url="http://ollama:11434/v1").check()


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_providers_own_service_needs_one(provider: str) -> None:
    with pytest.raises(ModelFault) as refused:
        endpoint({}, provider=provider).check()
    assert refused.value.kind is FaultKind.NO_KEY
    assert "apiKeySecretRef" in refused.value.message


@pytest.mark.parametrize("value", ["", "  ", None])
def test_a_key_that_is_named_has_to_be_there(value: str | None) -> None:
    env = {} if value is None else {"K": value}
    said = {"provider": "openai", "base_url": "http://ollama:11434/v1", "api_key_env": "K"}
    with pytest.raises(ModelFault) as refused:
        endpoint(env, **said).check()
    assert "K is not set" in refused.value.message
    endpoint({"K": "v"}, **said).check()


@pytest.mark.parametrize(
    ("wanted", "asked"),
    [
        (None, ("m", "spare", "quick")),
        ("m", ("m", "spare", "quick")),
        ("nobody set this up", ("m", "spare", "quick")),
        ("best", ("best", "spare", "quick")),
        ("quick", ("quick", "spare")),
    ],
)
def test_a_job_may_name_its_model_and_has_the_same_ones_to_fall_back_to(
    wanted: str | None, asked: tuple[str, ...]
) -> None:
    config = RuntimeConfig.model_validate(
        {"family": "api", "provider": "openai", "model": "m", "fallback_models": ("spare", "quick")}
    )
    assert Endpoint.of(config, {}, others=("best", "quick")).for_job(wanted) == asked


@pytest.mark.spec("SWB-36.1")
@pytest.mark.parametrize(
    ("tried", "asked"),
    [("next", ("next", "m", "spare", "quick")), ("spare", ("spare", "m", "quick"))],
)
def test_the_usual_model_stands_in_for_one_that_is_tried(tried: str, asked: tuple[str, ...]) -> None:
    config = RuntimeConfig.model_validate(
        {"family": "api", "provider": "openai", "model": "m", "fallback_models": ("spare", "quick")}
    )
    made = Endpoint.of(config, {}, others=("best",), tried=tried)
    assert made.for_job(tried) == asked
    assert tried in made.known
    assert made.for_job("m") == ("m", "spare", "quick")
    assert made.for_job("best") == ("best", "spare", "quick")


def test_the_key_is_in_no_repr() -> None:
    made = endpoint({"K": "sk-secret"}, provider="anthropic", api_key_env="K")
    assert made.key == "sk-secret"
    assert "sk-secret" not in repr(made)


CHILD = """
import sys
import butler_switchboard.__main__, butler_switchboard.app, butler_switchboard.operations.ops_app
import butler_specialist.__main__, butler_messenger.__main__
from butler_kit.config import RuntimeConfig
from butler_kit.time import SystemClock
from butler_kit.runtime.thinking import thinking_of
from butler_specialist.profiles import load_profile
from butler_specialist.thinking.chosen import specialist_thinking
from butler_specialist.thinking.prompt import Texts
from butler_specialist.work.session import RulesSessions
from butler_switchboard.routing.rules.program import RulesSessions as Routing
from butler_switchboard.routing.rules.router import RulesRouter
config = RuntimeConfig()
if {said!r} == "api":
    config = RuntimeConfig.model_validate(dict(family="api", provider="openai", model="m"))
thinking_of(config, {{}}, Routing(RulesRouter()).family, SystemClock(), rules_model="r")
profile = load_profile("finance")
clock, texts = SystemClock(), Texts("", "")
specialist_thinking(config, {{}}, profile, RulesSessions(profile), clock, pool=lambda: None, texts=texts)
found = sorted(name for name in sys.modules if name.split(".")[0] in ("pydantic_ai", "openai", "anthropic"))
print(found[:3])
"""


@pytest.mark.parametrize("said", ["rules", "api"])
def test_no_household_loads_the_library_before_a_model_is_to_be_asked(said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CHILD.format(said=said)],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("key", ["sk-one\nsk-two", "sk one", "sk-\u00fc", "sk-\x00"])
def test_what_cannot_be_a_key_is_said_before_anything_is_asked_and_not_repeated(key: str) -> None:
    endpoint = Endpoint("openai", ("m",), "http://ollama:11434/v1", key, key_from="BUTLER_MODEL_API_KEY")
    with pytest.raises(ModelFault) as refused:
        endpoint.check()
    assert refused.value.kind is FaultKind.NO_KEY
    assert "BUTLER_MODEL_API_KEY holds is no key" in refused.value.message
    assert key not in refused.value.message
