"""Where sessions of a scripted command line run: its tools, its ledger, and what is left of a session."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from butler_kit.runtime import Ran, SessionJob, SessionTool, ToolBelt
from butler_kit.runtime.api import Endpoint
from butler_kit.runtime.api.endpoint import Limits
from butler_kit.runtime.budget import Spending, Terms
from butler_kit.runtime.commandline import CommandLineFamily, Doors
from butler_kit.runtime.process import OutputCaps
from tests.support.command_lines import Counting, Scripted

__all__ = ["KEY", "SAY", "Place", "a_job", "said", "scripted_place"]

WHAT: dict[str, Any] = {
    "type": "object",
    "properties": {"what": {}},
    "required": ["what"],
    "additionalProperties": False,
}
SAY = SessionTool("say", "Say something.", WHAT)
END = SessionTool("end", "The last word.", WHAT, ends=True)
PART = SessionTool(
    "part",
    "A part.",
    WHAT | {"properties": {"what": {}, "last": {"type": "boolean"}}},
    last="last",
)
KEY = "sk-0123456789abcdef"


@dataclass
class Place:
    """Where sessions run."""

    folder: Path
    doors: Doors
    ledger: Counting = field(default_factory=Counting)

    def family(
        self,
        script: str,
        *,
        key: str | None = KEY,
        turns: int = 6,
        program: str | None = None,
        tried: str | None = None,
        models: tuple[str, ...] = ("m",),
        terms: Terms | None = None,
    ) -> CommandLineFamily:
        endpoint = Endpoint(
            "openai", models, "http://127.0.0.1:9/v1", key, "KEY", Limits(turns=turns), tried=tried
        )
        line = Scripted(script)
        return CommandLineFamily(
            line,
            endpoint,
            self.doors,
            lambda name: program or name,
            spending=Spending(terms, ledger=lambda: self.ledger),
            caps=OutputCaps(line_bytes=50_000, total_bytes=100_000),
            work_dir=self.folder,
        )

    async def run(
        self, script: str, job: SessionJob | None = None, **more: Any
    ) -> tuple[Ran | None, SessionJob]:
        job = job or a_job()
        family = self.family(script, **more)
        try:
            async with asyncio.timeout(90):
                return await family.launch(job).program(job), job
        finally:
            job.tools.seal()
            assert list(self.folder.iterdir()) == []


def a_job(payload: str = "hello", *, max_calls: int = 16) -> SessionJob:
    tools = ToolBelt([SAY, END, PART], max_calls=max_calls)
    return SessionJob(uuid4(), "route", "You route.", payload, tools, None, "1", 60.0)


def said(job: SessionJob) -> list[Any]:
    return [call.args["what"] for call in job.tools.ledger]


@asynccontextmanager
async def scripted_place(folder: Path) -> AsyncIterator[Place]:
    """A place in `folder`, whose doors are closed at the end."""
    doors = Doors()
    yield Place(folder, doors)
    await doors.aclose()
