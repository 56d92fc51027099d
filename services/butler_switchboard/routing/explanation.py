"""The basis of a routing decision, in a form to show or to record (SWB-03.2, SWB-27.1; pure).

Invariant: an explanation never decides anything; it repeats what the decision is based on, so equal decisions have
equal explanations. Its texts are words of the message: data, to be shown as such (SWB-04.1).
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DECIDING_RULES", "Evidence", "Explanation", "PartExplained"]

DECIDING_RULES = {
    "whole": "the text as a whole is about one butler's subject",
    "strongest_part": "one part has a subject, the rest of the text has none",
    "several_parts": "parts of the text are surely about different butlers' subjects",
    "holder": "the text names what that butler was told before in this conversation",
    "follow_up": "the text only points back at what that butler said last in this conversation",
    "remembered": "the text says something of its writer that is to be remembered, or asks for what is",
    "asked_of_all": "the text asks for everything of a time, or for all reminders: several butlers may have some",
    "nobody": "the text is surely nobody's subject",
    "unsure": "no specialist is as likely as the threshold demands",
    "wordless": "there are no words to judge by",
    "shared_contact": "a member shared a contact with its number",
}
"""The rules that make a decision, and the meaning of each."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One finding: the rule that found it, the text it saw, the subject or butler it speaks for.

    `weight` is in log-odds. `rule` is `word`, `trigger word`, `trigger text`, `conversation`, or the name of a shape or
    tie-break.
    """

    rule: str
    text: str
    topic: str
    weight: float


@dataclass(frozen=True, slots=True)
class PartExplained:
    """A part of the text by its half-open character range, the butler it went to and how likely that butler is."""

    start: int
    end: int
    butler: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """`rule` is a key of `DECIDING_RULES`; `scores` are the butlers by descending likelihood for the whole text.

    `confidence` is that of the decision (of its least sure call), `threshold` what a specialist needed. `parts` is
    empty when the text was not divided. `evidence` is ordered: rules and triggers in text order, then words.
    """

    rule: str
    confidence: float
    threshold: float
    scores: tuple[tuple[str, float], ...] = ()
    parts: tuple[PartExplained, ...] = ()
    evidence: tuple[Evidence, ...] = ()
