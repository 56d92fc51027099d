"""A session of a command line: the program runs in a private directory until its output ends, and calls its door.

Invariants: the verdict is what its door recorded, never its exit code or its words; the model's key, the message and
the session's token are in no argument; however the session ends, the whole process group is dead and its directory
gone. Time, output, calls and usage are bounded and counted.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from butler_contracts.budgets import Bound
from butler_kit.runtime.api.endpoint import Endpoint
from butler_kit.runtime.api.faults import FaultKind, ModelFault, ModelMisled, fault_of_status
from butler_kit.runtime.budget import Account, BudgetExhausted, Spending
from butler_kit.runtime.commandline.door import Doors, Session
from butler_kit.runtime.commandline.output import Output
from butler_kit.runtime.commandline.told import Asked, CommandLine
from butler_kit.runtime.family import InProcess, Ran, RuntimeUnavailable, SessionJob
from butler_kit.runtime.process import OutputCaps, run_subprocess
from butler_kit.tls import CA_FILE

__all__ = ["CommandLineFamily"]

logger = logging.getLogger(__name__)

_LAST_WORDS_S: Final = 5.0
"""Time for a program to end by itself after its session's last word, so that it reports the usage."""
_LOGGED: Final = 500
_HIDDEN: Final = "…"

Find = Callable[[str], str | None]
"""Returns the path of a program by its name; `shutil.which`."""


class CommandLineFamily:
    """Runs `line` with the models of `endpoint`; `env` says which authorities the household trusts."""

    def __init__(
        self,
        line: CommandLine,
        endpoint: Endpoint,
        doors: Doors,
        find: Find,
        *,
        env: Mapping[str, str] | None = None,
        spending: Spending | None = None,
        caps: OutputCaps | None = None,
        work_dir: Path | None = None,
    ) -> None:
        self._line = line
        self._endpoint = endpoint
        self._doors = doors
        self._find = find
        self._ca_file = (env or {}).get(CA_FILE)
        self._spending = spending or Spending()
        self._caps = caps
        self._work_dir = work_dir

    @property
    def name(self) -> str:
        """The family's name in manifests."""
        return self._line.name

    def launch(self, job: SessionJob) -> InProcess:
        """Return an in-process launch, which waits for the program."""
        return InProcess(self._run)

    def check(self) -> str:
        """Return the program's path. Raises `ModelFault` if no session can run, whatever the network does."""
        program = self._find(self._line.program)
        if program is None:
            raise ModelFault(
                FaultKind.NOT_INSTALLED,
                f"the program {self._line.program} is not installed here; install it where the butler runs, "
                "or choose another runtime family",
            )
        self._endpoint.check()
        return os.path.abspath(program)

    async def _run(self, job: SessionJob) -> Ran:
        program, models = self.check(), self._endpoint.for_job(job.model)
        async with self._spending.session(job) as account:
            for number, model in enumerate(models):
                left = len(models) - number
                try:
                    async with asyncio.timeout(job.deadline_s / left):
                        await self._with(model, job, program, account)
                except (ModelFault, TimeoutError) as fault:
                    account.unanswered(billed=True)
                    if left == 1 or job.tools.binds or _is_of_endpoint(fault):
                        raise
                    logger.warning(
                        "session %s: %s gave no answer, %s is asked",
                        job.session_id,
                        model,
                        models[number + 1],
                    )
                else:
                    return Ran(self.name, model)
        raise AssertionError("an endpoint names a model")

    async def _with(self, model: str, job: SessionJob, program: str, account: Account) -> None:
        door = self._doors.opened(job.tools, account.meter.calling, job.recorder.told)
        async with door as (session, url, token):
            asked = Asked(job, model, self._endpoint, program, url, token, self._ca_file)
            await self._asked(asked, session, account)

    async def _asked(self, asked: Asked, session: Session, account: Account) -> None:
        limits = asked.endpoint.limits
        most = await account.program(asked.model, _size(asked.job), most=limits.answer_tokens)
        turns, budgeted = _turns(limits.turns, account.meter.most_turns)
        asked = asked.within(replace(limits, turns=turns, answer_tokens=most))
        heard = Output(self._line, turns, session.over, asked.job.recorder, account)
        launch = self._line.launch(asked)
        asked.job.recorder.asked(launch.stdin)
        running = run_subprocess(launch, heard.line, caps=self._caps, parent=self._work_dir)
        try:
            ended = await _until_over(running, session)
            _raise_misled(session, heard, turns, budgeted=budgeted)
            fault = None
            if ended is not None and not session.belt.ended:
                fault = self._fault(asked, session, heard, *ended)
            if fault is not None:
                raise fault
        except RuntimeUnavailable as away:
            account.unanswered(billed=_may_be_billed(away, session))
            raise
        if session.amiss:
            raise ModelMisled("invalid_calls", "the model ended with calls that could not be taken")

    def _fault(
        self, asked: Asked, session: Session, heard: Output, code: int, stderr: str
    ) -> ModelFault | None:
        """Return why the model was not available, if it was not."""
        program, host, amiss = self._line.program, self._endpoint.host, heard.amiss
        if amiss is None and code == 0 and session.seen:
            return None
        said = stderr.replace(asked.key, _HIDDEN).replace(asked.token, _HIDDEN)[-_LOGGED:]
        logger.warning("session %s: %s ended with code %d: %s", asked.job.session_id, program, code, said)
        if amiss is not None and amiss.status is not None and amiss.status >= 400:
            return fault_of_status(amiss.status, host=host, model=asked.model, retry_after_s=None)
        if amiss is not None:
            return ModelFault(
                FaultKind.NO_ANSWER,
                f"{program} had no answer of the model {asked.model} at {host}; "
                "check spec.runtime.model and baseUrl",
            )
        how = f"ended with exit code {code}" if code else "did not come for the tools of its session"
        return ModelFault(
            FaultKind.PROGRAM_FAILED,
            f"{program} {how}; the butler's log has what it wrote, and docs/guides/command-lines.md "
            "the versions that are known to work",
        )


def _turns(most: int, budget: int | None) -> tuple[int, bool]:
    """Return how many turns a session has, and whether it is the owner's budget that says so."""
    return (budget, True) if budget is not None and budget < most else (most, False)


def _raise_misled(session: Session, heard: Output, turns: int, *, budgeted: bool) -> None:
    if isinstance(session.too_many, BudgetExhausted):
        raise session.too_many
    if session.too_many is not None:
        raise ModelMisled("too_many_calls", session.too_many.message) from session.too_many
    if session.belt.ended:
        return
    if heard.used_up is not None:
        raise BudgetExhausted(heard.used_up)
    if heard.too_long and budgeted:
        raise BudgetExhausted(Bound.SESSION_TURNS)
    if heard.too_long:
        raise ModelMisled("too_many_turns", f"the model did not come to an end within {turns} turns")


def _may_be_billed(away: RuntimeUnavailable, session: Session) -> bool:
    """Whether the model may have worked in a session of which nothing was reported."""
    if session.belt.binds or session.belt.refused:
        return True
    return session.seen and isinstance(away, ModelFault) and away.kind.billed


def _is_of_endpoint(fault: ModelFault | TimeoutError) -> bool:
    return isinstance(fault, ModelFault) and fault.kind.of_endpoint


def _size(job: SessionJob) -> int:
    """Return the bytes of the first question."""
    tools = (f"{tool.name}{tool.description}{json.dumps(dict(tool.schema))}" for tool in job.tools.tools)
    return sum(len(text.encode("utf-8", "replace")) for text in (job.system_text, job.payload, *tools))


async def _until_over(
    running: Coroutine[Any, Any, tuple[int, str]], session: Session
) -> tuple[int, str] | None:
    """Return exit code and stderr of a program that ended itself; None for one ended after its last call."""
    program = asyncio.create_task(running, name="session-program")
    over = asyncio.create_task(session.over.wait(), name="session-over")
    try:
        await asyncio.wait({program, over}, return_when=asyncio.FIRST_COMPLETED)
        if not program.done() and session.belt.ended:
            await asyncio.wait({program}, timeout=_LAST_WORDS_S)
        return await program if program.done() else None
    finally:
        over.cancel()
        program.cancel()
        await asyncio.wait({program, over})
