"""Run the probes in parallel, without waiting for one that is past its deadline."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from butler_cli.doctor.findings import Diagnosis, Finding, finding
from butler_cli.errors import UserError

__all__ = ["LeftOut", "Probe", "diagnose"]

_BROKE: Final = "BUTLERS_DEBUG=1 with the verb that fails shows more; please report it"


class LeftOut(Exception):
    """There is nothing for this probe to look at; the text says why."""


@dataclass(frozen=True)
class Probe:
    """`look` returns its findings or raises `LeftOut`; it changes nothing."""

    name: str
    look: Callable[[], Sequence[Finding]]
    deadline_s: float = 10.0


Answer = tuple[str, Sequence[Finding] | BaseException]


def diagnose(probes: Sequence[Probe], *, monotonic: Callable[[], float] = time.monotonic) -> Diagnosis:
    """Run all probes at once; a late one becomes a finding and is not waited for."""
    answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()
    begun = monotonic()
    for probe in probes:
        # A daemon: a provider that hangs does not keep the command from ending.
        threading.Thread(target=_run, args=(probe, answers), name=f"probe {probe.name}", daemon=True).start()
    told: dict[str, Sequence[Finding] | BaseException] = {}
    while waited := [probe.deadline_s for probe in probes if probe.name not in told]:
        left = begun + max(waited) - monotonic()
        if left <= 0:
            break
        with suppress(queue.Empty):
            name, answer = answers.get(timeout=left)
            told[name] = answer
    return _summed(probes, told)


def _run(probe: Probe, answers: queue.SimpleQueue[Answer]) -> None:
    try:
        answers.put((probe.name, probe.look()))
    except BaseException as failure:
        answers.put((probe.name, failure))


def _summed(probes: Sequence[Probe], told: dict[str, Sequence[Finding] | BaseException]) -> Diagnosis:
    findings: list[Finding] = []
    looked_at, left_out = [], []
    for probe in probes:
        answer = told.get(probe.name)
        if isinstance(answer, LeftOut):
            left_out.append((probe.name, str(answer)))
            continue
        looked_at.append(probe.name)
        if answer is None:
            said = f"no answer within {probe.deadline_s:g} s"
            findings.append(
                finding("risk", probe.name, said, "run it again; if it stays so, look at the network")
            )
        elif isinstance(answer, UserError):
            findings.append(finding("broken", probe.name, answer.message, "what the line says"))
        elif isinstance(answer, BaseException):
            # Its text may hold anything.
            findings.append(finding("risk", probe.name, f"could not look ({type(answer).__name__})", _BROKE))
        else:
            findings += answer
    return Diagnosis(tuple(findings), tuple(looked_at), tuple(left_out))
