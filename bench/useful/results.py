"""Results of a run: the lines to print, the file to keep, what is better or worse than in another run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from bench.useful.verdict import VERDICTS, Kind

__all__ = ["Result", "compared", "from_document", "read_results", "shares", "verbatim"]


@dataclass(frozen=True)
class Result:
    """One message: what was said, answered and kept, and the verdict."""

    home: str
    theme: str
    conversation: str
    number: int
    language: str
    via: str
    said: str
    answers: tuple[str, ...]
    owner_told: tuple[str, ...]
    butlers: tuple[str, ...]
    fresh: tuple[str, ...]
    verdict: Kind
    reasons: tuple[str, ...]
    own_language: bool | None
    seconds: float

    @property
    def key(self) -> str:
        """The same message in every run."""
        return f"{self.home}/{self.theme}/{self.conversation}/{self.number}"


def from_document(document: dict[str, Any]) -> Result:
    """Return a result as it was written."""
    lists = {name: tuple(value) for name, value in document.items() if isinstance(value, list)}
    return Result(**{one.name: ({**document, **lists})[one.name] for one in fields(Result)})


def read_results(file: Path) -> list[Result]:
    """Return the messages of a stored run."""
    document = json.loads(file.read_text(encoding="utf-8"))
    return [from_document(one) for one in document["messages"]]


def shares(results: Sequence[Result], by: Callable[[Result], str]) -> list[dict[str, Any]]:
    """A row for each group, a column for each verdict, and how many answers were in the writer's language."""
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(by(result), []).append(result)
    return [{"": name, **_row(groups[name])} for name in sorted(groups)] + [{"": "all", **_row(results)}]


def _row(results: Sequence[Result]) -> dict[str, Any]:
    counted = Counter(result.verdict for result in results)
    told = [result.own_language for result in results if result.own_language is not None]
    return {
        "messages": len(results),
        "useful %": f"{100 * counted['useful'] / len(results):.0f}",
        **{kind.replace("_", " "): counted[kind] for kind in VERDICTS},
        "own language %": f"{100 * sum(told) / len(told):.0f}" if told else "",
    }


def verbatim(result: Result) -> str:
    """A message with its answer and what is wrong, as a person reads it."""
    lines = [
        f"{result.verdict:<12} {result.key} ({result.language}, {', '.join(result.butlers) or 'nobody'})"
    ]
    lines.append(f"    said:     {_flat(result.said)}")
    lines += [f"    answer:   {_flat(answer)}" for answer in result.answers]
    lines += [f"    owner:    {_flat(told)}" for told in result.owner_told]
    lines += [f"    kept:     {row}" for row in result.fresh]
    lines += [f"    because:  {reason}" for reason in result.reasons]
    return "\n".join(lines)


def _flat(text: str) -> str:
    return " ⏎ ".join(line for line in text.splitlines() if line.strip())


def compared(now: Sequence[Result], before: Sequence[Result]) -> tuple[list[str], list[str]]:
    """Return what is better and what is worse than in the other run; messages in only one of them are left out."""
    former = {result.key: result for result in before}
    better: list[str] = []
    worse: list[str] = []
    for result in now:
        old = former.get(result.key)
        if old is None or old.verdict == result.verdict:
            continue
        line = f"{result.key}: {old.verdict} → {result.verdict}"
        (better if VERDICTS.index(result.verdict) < VERDICTS.index(old.verdict) else worse).append(line)
    return better, worse


def as_documents(results: Sequence[Result]) -> list[dict[str, Any]]:
    """Return the results for the file."""
    return [asdict(result) for result in results]
