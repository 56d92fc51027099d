"""A butler's instructions in a ConfigMap on a cluster: waited for in words, and a changed text rolls its pods alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from butler_resources.kinds.names import INPUTS_HASH_ANNOTATION
from tests.support.cluster_resources import butler, database_secret, switchboard

Start = Callable[..., Any]
REF = {"configMapRef": {"name": "words", "key": "home.md"}}
MODEL = {"family": "api", "provider": "openai", "baseUrl": "http://ollama:11434/v1", "model": "small"}


def words(**data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "words"}, "data": data}


def inputs(home: Any, name: str) -> str | None:
    deployment = home.api.find("Deployment", name)
    if deployment is None:
        return None
    found: str = deployment["spec"]["template"]["metadata"]["annotations"][INPUTS_HASH_ANNOTATION]
    return found


async def test_they_are_waited_for_in_words_and_a_changed_text_rolls_their_butler(start: Start) -> None:
    async with start(resync_s=1) as home:
        home.api.have(database_secret())
        home.api.have(switchboard())
        home.api.have(butler("finance"))
        home.api.have(butler("health", instructionsFrom=REF, runtime=MODEL))
        await home.until(home.has("Butler", "health", "ResolvedRefs", "False", "InstructionsNotFound"))
        said = home.api.condition("Butler", "health", "ResolvedRefs")["message"]
        assert said == "instructionsFrom: no ConfigMap words in this namespace; create it with key home.md"

        home.api.have(words(other="x"))

        def keys_are_named() -> bool:
            return (
                "has no key home.md (keys: other)"
                in (home.api.condition("Butler", "health", "ResolvedRefs")["message"])
            )

        await home.until(keys_are_named)
        home.api.edit("ConfigMap", "words", lambda body: body["data"].update({"home.md": " "}))
        await home.until(home.has("Butler", "health", "ResolvedRefs", "False", "InstructionsInvalid"))
        assert home.api.find("Deployment", "butler-health") is None

        home.api.edit("ConfigMap", "words", lambda body: body["data"].update({"home.md": "Drink water."}))
        for name in ("health", "finance"):
            await home.until(home.has("Butler", name, "Deployed", "True"))
        before = {name: inputs(home, f"butler-{name}") for name in ("health", "finance")}
        home.api.edit("ConfigMap", "words", lambda body: body["data"].update({"home.md": "Drink tea."}))
        await home.until(lambda: inputs(home, "butler-health") not in (None, before["health"]))
        assert inputs(home, "butler-finance") == before["finance"]
