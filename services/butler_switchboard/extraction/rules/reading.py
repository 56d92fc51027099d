"""Finds signals by phrases: precise rather than complete (pure; SWB-26.1).

A sentence that asks, denies, or sets a condition yields nothing. A person named by their relation to the writer is
trusted more than a bare name, which may be that of a company.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from butler_kit.runtime.family import Program, SessionJob
from butler_switchboard.extraction.rules.de import GERMAN
from butler_switchboard.extraction.rules.en import ENGLISH
from butler_switchboard.extraction.rules.es import SPANISH
from butler_switchboard.extraction.rules.fr import FRENCH
from butler_switchboard.extraction.rules.language import Language
from butler_switchboard.extraction.signals import MOST_SIGNALS, SIGNAL_TOOL
from butler_switchboard.routing.rules.units import sentences

__all__ = ["RULES_VERSION", "calls_for", "extracting_program"]

RULES_VERSION: Final = "relationship-rules-1"
_LANGUAGES: Final = (ENGLISH, GERMAN, FRENCH, SPANISH)
_LONGEST: Final = 400
"""In characters; no phrase fits a longer sentence."""
_RELATED, _NAMED = 0.9, 0.75


def calls_for(text: str, own: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
    """Return what a session would record of a text; `own` are its writer's ranges. At most `MOST_SIGNALS`."""
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for unit in sentences(text, own):
        said = unit.of(text)
        if len(said) > _LONGEST or "?" in said:
            continue
        for language in _LANGUAGES:
            for call in _said(said, language):
                found.setdefault((call["type"], call["subject"], call["quote"]), call)
    return list(found.values())[:MOST_SIGNALS]


def extracting_program(text: str, own: Sequence[tuple[int, int]]) -> Program:
    """Return the program of the family `rules`, with the same tool and ledger as any other family."""

    async def program(job: SessionJob) -> None:
        for call in calls_for(text, own):
            await job.tools.call(SIGNAL_TOOL, call)

    return program


def _said(sentence: str, language: Language) -> Iterator[dict[str, Any]]:
    if language.undoes.search(sentence):
        return
    for phrase in language.phrases:
        for match in phrase.pattern.finditer(sentence):
            who = match.groupdict()
            yield {
                "type": phrase.type.value,
                "subject": who.get("kin") or who["name"],
                "quote": match.group().strip(),
                "confidence": _RELATED if who.get("kin") else _NAMED,
            }
