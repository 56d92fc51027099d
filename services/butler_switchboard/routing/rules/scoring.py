"""Score a piece of text against the butlers of a registry: model, precise rules and trigger words together (pure)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from butler_kit.textmodel.features import MARKS, tokens
from butler_kit.textmodel.model import Model, Scored
from butler_switchboard.routing.explanation import Evidence
from butler_switchboard.routing.registry_view import GENERAL, RegistryView
from butler_switchboard.routing.rules.affinity import affinity, stem
from butler_switchboard.routing.rules.evidence import evidence
from butler_switchboard.routing.rules.household import HOUSEHOLD

__all__ = ["Assessment", "assess", "withheld", "word_evidence"]

_FLOOR = 0.06
_HIT = 2.2
_LONG_HIT = 3.0
_LONG_WORD = 6
_STRONGEST = 3
NEUTRAL = "smalltalk"
_TONE = frozenset(token for _, token in MARKS)


@dataclass(frozen=True, slots=True)
class Assessment:
    """How likely each butler is, how neutral the text is, and why. `best` is the likeliest butler."""

    butlers: dict[str, float]
    best: str
    confidence: float
    neutral: float
    evidence: tuple[Evidence, ...]
    scored: Scored

    @property
    def words(self) -> int:
        """The number of words that were examined."""
        return sum(word not in _TONE for word, _ in self.scored.words)

    def of(self, butler: str) -> float:
        """Return the probability of one butler."""
        return self.butlers.get(butler, 0.0)


def assess(model: Model, registry: RegistryView, text: str) -> Assessment:
    """Return the probabilities of the registry's butlers for `text`, and what rules and triggers found."""
    found = tokens(text)
    scored = model.score(found)
    rules = evidence(text)
    topics = _boosted(dict(zip(model.topics, scored.probabilities, strict=True)), rules)
    butlers, hits = _by_butler(model, registry, topics, rules, [word for word, _ in found])
    best = max(sorted(butlers), key=lambda name: butlers[name])
    return Assessment(
        butlers=butlers,
        best=best,
        confidence=butlers[best],
        neutral=topics.get(NEUTRAL, 0.0),
        evidence=(*rules, *hits),
        scored=scored,
    )


def _boosted(topics: dict[str, float], rules: tuple[Evidence, ...]) -> dict[str, float]:
    raised = dict(topics)
    for item in rules:
        if item.topic in raised:
            raised[item.topic] *= math.exp(item.weight)
    total = sum(raised.values())
    return {topic: value / total for topic, value in raised.items()}


def _by_butler(
    model: Model,
    registry: RegistryView,
    topics: dict[str, float],
    rules: tuple[Evidence, ...],
    words: list[str],
) -> tuple[dict[str, float], tuple[Evidence, ...]]:
    """Give topic mass to the butlers that claim it and the rest to `general`; then apply the trigger words.

    If a rule has found one of the household's lists or things, `general` keeps it, even beside a butler for the home.
    """
    known = affinity(model, registry)
    kept = any(item.topic == HOUSEHOLD for item in rules)
    mass = dict.fromkeys(registry.names, 0.0) | {GENERAL: 0.0}
    for topic, probability in topics.items():
        shares = () if kept and topic == HOUSEHOLD else known.topics.get(topic, ())
        for name, share in shares:
            mass[name] += probability * share
        mass[GENERAL] += probability * (1.0 - sum(share for _, share in shares))
    hits: list[Evidence] = []
    for word in dict.fromkeys(words) if known.words else ():
        for name in known.words.get(stem(word), ()):
            weight = _LONG_HIT if len(word) >= _LONG_WORD else _HIT
            mass[name] = max(mass[name], _FLOOR) * math.exp(weight)
            hits.append(Evidence("trigger word", word, name, weight))
    total = sum(mass.values())
    return {name: value / total for name, value in mass.items()}, tuple(hits)


def withheld(model: Model, registry: RegistryView, text: str, butler: str) -> float:
    """Return the least likelihood of `butler` for `text` if one of the words that pull most towards it is left out.

    A subject that hangs on a single word may be a figure of speech; a real matter shows more than once.
    """
    found, rules = tokens(text), evidence(text)
    pulls = _pulls(model, _columns(model, registry, butler), model.score(found))
    strongest = sorted(pulls.keys() - _TONE, key=lambda word: (-pulls[word], word))[:_STRONGEST]
    kept = [[item for item in found if item[0] != word] for word in strongest] or [found]
    return min(_likelihood(model, registry, rest, rules, butler) for rest in kept)


def _likelihood(
    model: Model,
    registry: RegistryView,
    found: list[tuple[str, bool]],
    rules: tuple[Evidence, ...],
    butler: str,
) -> float:
    topics = dict(zip(model.topics, model.score(found).probabilities, strict=True))
    butlers, _ = _by_butler(model, registry, _boosted(topics, rules), rules, [word for word, _ in found])
    return butlers.get(butler, 0.0)


def word_evidence(model: Model, registry: RegistryView, assessment: Assessment) -> tuple[Evidence, ...]:
    """Return the words that pulled most towards the best butler's topics, against the mean of all topics."""
    best = assessment.best
    if best == GENERAL:
        return ()
    pulls = _pulls(model, _columns(model, registry, best), assessment.scored)
    top = sorted(pulls.items(), key=lambda item: (-item[1], item[0]))[:5]
    return tuple(Evidence("word", word, best, round(pull, 2)) for word, pull in top if pull > 0.5)


def _columns(model: Model, registry: RegistryView, butler: str) -> list[int]:
    """Return the columns of the butler's topics; the catch-all has those that nobody claims."""
    known = affinity(model, registry).topics
    if butler == GENERAL:
        return [n for n, topic in enumerate(model.topics) if topic not in known]
    return [n for n, topic in enumerate(model.topics) if butler in dict(known.get(topic, ()))]


def _pulls(model: Model, columns: list[int], scored: Scored) -> dict[str, float]:
    """Return how much each word pulls towards the strongest of `columns`, against the mean of all topics."""
    pulls: dict[str, float] = {}
    for word, row in scored.words if columns else ():
        own = max(row[n] * model.scales[n] for n in columns)
        mean = sum(value * scale for value, scale in zip(row, model.scales, strict=True)) / len(row)
        pulls[word] = max(pulls.get(word, 0.0), own - mean)
    return pulls
