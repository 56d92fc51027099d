# ruff: noqa: E501 - patterns, word lists and sample texts stay on one line
"""Whether a part of a message is a matter of its own for a further butler (SWB-03.2; pure).

A logistic regression over features of the part: how surely it is the butler's, with and without a strong word, how
many words say so, what divides it from its neighbours, what the whole and the leading butler's parts are about.
`WEIGHTS` come from `python -m bench.routing.claims`, which fits them on decisions of routers that had not seen the
messages.

Invariant: the same findings give the same likelihood; the router divides only above a bar that it states.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from butler_switchboard.routing.registry_view import GENERAL
from butler_switchboard.routing.rules.scoring import Assessment
from butler_switchboard.routing.rules.units import Cut

__all__ = ["FINDINGS", "WEIGHTS", "Claim", "findings", "leader", "likelihood", "odds_of"]

FINDINGS = (
    "bias",
    "part",
    "part of the leader",
    "leading part",
    "whole",
    "whole of the leader",
    "words",
    "line",
    "sentence",
    "joint",
    "opened anew",
    "points back",
    "to general",
    "from general",
    "money and journey",
    "money and journey in one",
    "written",
    "parts",
    "share",
    "without a word",
)
WEIGHTS: tuple[float, ...] = (
    -1.45,
    0.37,
    -0.26,
    0.19,
    0.50,
    0.12,
    0.68,
    1.66,
    0.89,
    1.17,
    0.54,
    -0.41,
    0.06,
    -0.38,
    0.19,
    -0.06,
    0.14,
    -1.34,
    0.02,
    0.22,
)

_ANEW = re.compile(
    r"\W*(?:(?:and|oh|so|um|uh|ok|okay|but|und|et|y)\W+){0,3}(?:also|plus|btw|by the way|separately|unrelated|besides|another|other thing|different|second\w*|third\w*|two\b|three\b|[b-f]\)|\d[.)]|[-*•]|außerdem|übrigens|aussi|sinon|también|además)",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"\b(?:he|she|her|him|his|they|them|their|it|its|that|there|this|those|both|er|sie|ihn|ihm|es|dort|elle|il|lui|leur)\b",
    re.IGNORECASE,
)
_TIE = frozenset({"finance", "travel"})
_SHORT, _MOST_WORDS, _MOST_PARTS = 2, 12, 10
_STRENGTH: dict[Cut, int] = {"soft": 0, "joint": 1, "sentence": 2, "line": 3}


@dataclass(frozen=True, slots=True)
class Claim:
    """A part of a message: its butler, text and assessment, and what divides it from the part before it."""

    butler: str
    text: str
    score: Assessment
    cut: Cut


def leader(claims: Sequence[Claim], names: set[str], whole: Assessment) -> str:
    """Return the butler that the message is mostly about: that of the whole, or the one with most words."""
    if whole.best in names:
        return whole.best
    said = {name: sum(c.score.of(name) * c.score.words for c in claims if c.butler == name) for name in names}
    return max(sorted(said), key=lambda name: said[name])


def likelihood(found: Sequence[float]) -> float:
    """Return the likelihood that a further butler has a matter of its own, given its `findings`."""
    return 1 / (1 + math.exp(-odds_of(WEIGHTS, found)))


def odds_of(weights: Sequence[float], found: Sequence[float]) -> float:
    """Return the log-odds that `weights` give to findings."""
    return sum(weight * value for weight, value in zip(weights, found, strict=True))


def findings(
    claims: Sequence[Claim],
    butler: str,
    first: str,
    whole: Assessment,
    *,
    withheld: float,
    written: bool,
    entangled: bool,
) -> tuple[float, ...]:
    """Return the values of `FINDINGS` for a further butler's parts, about 0 to 1 each except the log-odds.

    `withheld` is the likelihood of the butler for its parts when one of their strongest words is left out; `entangled`
    means that money and a journey are not separate in the message (SWB-03.4).
    """
    own = [n for n, claim in enumerate(claims) if claim.butler == butler]
    best = max(own, key=lambda n: claims[n].score.of(butler))
    leading = [claim.score.of(first) for claim in claims if claim.butler == first]
    cut = max(_between(claims, n) for n in own)
    tied = {butler, first} == _TIE
    return (
        1.0,
        _odds(_subject(claims[best].score, butler)),
        _odds(claims[best].score.of(first)),
        _odds(max(leading, default=0.0)),
        _odds(whole.of(butler)),
        _odds(whole.of(first)),
        min(_MOST_WORDS, sum(_telling(claims[n]) for n in own)) / 4,
        float(cut == _STRENGTH["line"]),
        float(cut == _STRENGTH["sentence"]),
        float(cut == _STRENGTH["joint"]),
        float(any(_ANEW.match(claim.text) is not None for claim in claims[1:])),
        float(all(_BACK.search(claims[n].text) is not None for n in own)),
        float(butler == GENERAL),
        float(first == GENERAL),
        float(tied),
        float(tied and entangled),
        float(written),
        min(_MOST_PARTS, len(claims)) / 4,
        sum(claims[n].score.words for n in own) / max(1, sum(claim.score.words for claim in claims)),
        _odds(withheld),
    )


def _subject(score: Assessment, butler: str) -> float:
    """Return how likely the part is the butler's; small talk does not count for the catch-all."""
    return score.of(butler) - (score.neutral if butler == GENERAL else 0.0)


def _odds(likely: float) -> float:
    """Return the log-odds, at most four either way."""
    kept = min(0.982, max(0.018, likely))
    return math.log(kept / (1 - kept))


def _between(claims: Sequence[Claim], n: int) -> int:
    """Return the strongest cut between a part and a neighbour of another butler."""
    cuts = [_STRENGTH[claims[n].cut]] if n and claims[n - 1].butler != claims[n].butler else []
    if n + 1 < len(claims) and claims[n + 1].butler != claims[n].butler:
        cuts.append(_STRENGTH[claims[n + 1].cut])
    return max(cuts, default=0)


def _telling(claim: Claim) -> int:
    """Count the words of a part that can carry a subject, plus the rules' findings for the butler."""
    words = sum(len(word) > _SHORT for word, _ in claim.score.scored.words)
    return words + sum(item.topic == claim.butler for item in claim.score.evidence)
