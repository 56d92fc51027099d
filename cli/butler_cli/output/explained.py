"""Explain a routing decision to a person: the decision, how sure it is, and the evidence for each butler.

Pure. Invariant: it only repeats the basis of the decision; text of the message is shown as text, never acted upon.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.constrain import Constrain
from rich.table import Table
from rich.text import Text

from butler_cli.output.screen import line_of
from butler_cli.output.words import order
from butler_switchboard.routing.explanation import DECIDING_RULES, Evidence, Explanation
from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.verdict import Verdict

__all__ = ["explained", "explanation_document"]

WIDTH: Final = 80
TEXT_SHOWN: Final = 300
PART_SHOWN: Final = 160
SEEN_SHOWN: Final = 60
LIKELY_SHOWN: Final = 0.005
BAR: Final = 20
_FINDINGS: Final = {
    "word": "the word",
    "trigger word": "its trigger text has the word",
    "trigger text": "close to its trigger text",
    "iban": "an account number",
    "conversation": "spoke last:",
}
_SHAPE: Final = re.compile(r"x([a-z]{2,})x")
"""How the model reads a date, an amount or another shape: as one word, whatever its digits are."""
_OVERRULED: Final = {
    "ambiguous": "not sure enough, so general gets the whole text",
    "ineligible_target": "{detail} may get nothing at the moment, so general gets the whole text",
    "invalid_output": "the decision made no sense ({detail}), so general gets the whole text",
    "classification_failed": "the decision failed ({detail}), so general gets the whole text",
}


def explained(message: RoutingMessage, verdict: Verdict, why: Explanation, *, name: str) -> RenderableType:
    """Return the whole explanation of one decision, in at most 80 columns."""
    parts: list[RenderableType] = [
        Text(f"{line_of(name)}: “{line_of(message.text, limit=TEXT_SHOWN)}”"),
        Text(_decision(verdict, why)),
    ]
    if why.parts:
        parts += [Text("\nWhich part goes to whom", style="bold"), _parts(message, why)]
    if why.scores:
        heading = "Whose subject the text is as a whole" if why.parts else "Whose subject it is"
        parts += [Text(f"\n{heading}", style="bold"), _likely(why)]
    parts.append(Text("\nWhat spoke for it", style="bold"))
    parts.append(_findings(why.evidence) if why.evidence else Text("  nothing in particular"))
    return Constrain(Group(*parts), WIDTH)


def explanation_document(message: RoutingMessage, why: Explanation) -> dict[str, Any]:
    """Return the same for a program: rule, confidence, threshold, score of each butler, parts, evidence."""
    return {
        "rule": why.rule,
        "meaning": _meaning(why),
        "confidence": why.confidence,
        "threshold": why.threshold,
        "scores": dict(why.scores),
        "parts": [
            {
                "start": part.start,
                "end": part.end,
                "text": message.text[part.start : part.end],
                "butler": part.butler,
                "confidence": part.confidence,
            }
            for part in why.parts
        ],
        "evidence": [
            {"rule": item.rule, "text": item.text, "for": item.topic, "weight": item.weight}
            for item in _strongest_first(why.evidence)
        ],
    }


def _meaning(why: Explanation) -> str:
    return DECIDING_RULES.get(why.rule, why.rule.replace("_", " "))


def _decision(verdict: Verdict, why: Explanation) -> str:
    names = [target.butler for target in verdict.targets]
    whither = (
        f"Goes to {' and '.join(filter(None, [', '.join(names[:-1]), names[-1]]))}"
        if names
        else f"Goes to nobody: {verdict.error}"
    )
    lines = [f"{whither}: {_meaning(why)}."]
    if verdict.order != "parallel":
        lines.append(f"In this order: {order(verdict.order)}.")
    name, _, detail = verdict.reason.partition(":")
    if name in _OVERRULED and why.rule != "unsure":
        lines.append(f"But: {_OVERRULED[name].format(detail=detail.replace('_', ' '))}.")
    if why.rule == "unsure":
        lines.append(f"A specialist has to be {_percent(why.threshold)} sure.")
    else:
        lines.append(f"{_percent(why.confidence)} sure; a specialist needs {_percent(why.threshold)}.")
    return "\n".join(lines)


def _parts(message: RoutingMessage, why: Explanation) -> Table:
    rows = [
        (part.butler, _percent(part.confidence), f"“{_excerpt(message.text, part.start, part.end)}”")
        for part in why.parts
    ]
    return _grid(rows)


def _likely(why: Explanation) -> Table:
    shown = [pair for pair in why.scores if pair[1] >= LIKELY_SHOWN] or list(why.scores[:1])
    return _grid((name, _percent(value), "█" * max(1, round(value * BAR))) for name, value in shown)


def _findings(found: Sequence[Evidence]) -> Table:
    """Return a line per butler and rule, the strongest first, with its factor and the texts it saw."""
    seen: dict[tuple[str, str], list[Evidence]] = {}
    for item in _strongest_first(found):
        seen.setdefault((item.topic, item.rule), []).append(item)
    return _grid((topic, _factor(items), _said(rule, items)) for (topic, rule), items in seen.items())


def _said(rule: str, items: Sequence[Evidence]) -> str:
    texts = list(dict.fromkeys(_seen(rule, item.text) for item in items))
    finding = _FINDINGS.get(rule, rule)
    if len(texts) > 1 and finding.endswith("the word"):
        finding += "s"
    return f"{finding} {', '.join(texts)}"


def _seen(rule: str, text: str) -> str:
    shape = _SHAPE.fullmatch(text) if rule == "word" else None
    return f"({shape.group(1)})" if shape else f"“{line_of(text, limit=SEEN_SHOWN)}”"


def _factor(items: Iterable[Evidence]) -> str:
    """Return how many times likelier these make it together; programs get the log odds instead."""
    factor = math.exp(min(sum(item.weight for item in items), 20.0))
    if factor < 1:
        return f"÷{1 / factor:.1f}"
    return f"×{factor:.1f}" if factor < 10 else f"×{min(factor, 1000):.0f}{'+' if factor > 1000 else ''}"


def _strongest_first(found: Sequence[Evidence]) -> list[Evidence]:
    return sorted(found, key=lambda item: -item.weight)


def _grid(rows: Iterable[tuple[str, str, str]]) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, number, said in rows:
        grid.add_row(Text(f"  {line_of(name)}", style="bold"), number, Text(line_of(said)))
    return grid


def _percent(value: float) -> str:
    return ">99%" if 0.995 <= value < 1 else f"{value:.0%}"


def _excerpt(text: str, start: int, end: int) -> str:
    return line_of(text[start:end], limit=PART_SHOWN)
