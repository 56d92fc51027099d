"""`make demo-llm`: a stand-in for a language model that Switchboard and the finance butler call over HTTP.

It routes by a few words and keeps an amount or a note, so its quality says nothing about a model; it shows that the
path works for every message.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import yaml

from examples.demo.report import differences
from examples.demo.watching import Finished
from tests.support.model_api import Asked, ModelServer

__all__ = ["judged", "running_model", "write_model"]

THINK: Final[Mapping[str, str]] = {"switchboard": "openai", "finance": "anthropic"}
"""Who asks the model, by which provider's protocol: each protocol has one."""


@asynccontextmanager
async def running_model(wanted: bool) -> AsyncIterator[ModelServer | None]:
    """Run the server on a free port, if it is wanted."""
    if not wanted:
        yield None
        return
    async with ModelServer("keywords") as server:
        yield server


def write_model(server: ModelServer, manifests: Path) -> None:
    """Let the butlers that use a model call it, in the copied manifests; no fallback, so that no failure is hidden."""
    file = manifests / "butlers.yaml"
    documents = [one for one in yaml.safe_load_all(file.read_text("utf-8")) if one]
    for one in documents:
        provider = THINK.get(one["metadata"]["name"])
        if provider is not None:
            one["spec"]["runtime"] = {
                "family": "api",
                "provider": provider,
                "baseUrl": server.base_url(provider),
                "model": "keywords",
            }
    file.write_text(yaml.safe_dump_all(documents, allow_unicode=True), encoding="utf-8")


def judged(ends: Sequence[Finished], server: ModelServer) -> tuple[list[str], str]:
    """Return what went wrong, and a line for a person; another choice of butler for a message is not wrong."""
    sessions = sum(1 for asked in server.asked if not asked.results and _routes(asked))
    worked = sum(1 for asked in server.asked if not asked.results and not _routes(asked))
    wrong = [f"{end.sent.message.id}: ended in an error" for end in ends if end.state == "errored"]
    wrong += [f"the model server refused a question: {words}" for words in server.refused]
    came_by = {asked.provider for asked in server.asked}
    wrong += [f"the model was never asked by {one}" for one in THINK.values() if one not in came_by]
    others = len({one.partition(":")[0] for one in differences(ends)})
    told = (
        f"{sessions} messages routed and {worked} worked on by a stand-in for a model in {len(server.asked)} questions "
        f"over HTTP ({' and '.join(THINK.values())}); of {len(ends)} a person would have sent {others} elsewhere"
    )
    return wrong, told


def _routes(asked: Asked) -> bool:
    return any(tool["name"] == "route_to_butler" for tool in asked.tools)
