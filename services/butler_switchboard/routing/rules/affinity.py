# ruff: noqa: E501, SIM905 - patterns, word lists and sample texts stay on one line
"""Which butler a topic or a word belongs to, judged by the registry alone (SWB-09.1, pure).

The model knows topics, not butlers. A butler named after a topic has that topic; any other gets the topics that the
model finds in its triggers, unless a namesake has them. Words of its triggers, its capabilities and the information
that it requires speak for it directly when found in a message, which covers subjects that the model does not know.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from butler_kit.textmodel.features import tokens
from butler_kit.textmodel.model import Model
from butler_switchboard.routing.registry_view import GENERAL, ButlerProfile, RegistryView

__all__ = ["Affinity", "affinity", "stem"]

_GENERIC = frozenset(
    "the and for with from all any other about catch everything anything what that this into over record records track keep"
    " manage book booking reminder interaction contact request message question help list new item thing plan planning our your my"
    " home house family day week time get give make people work und der die das fur mit von les des pour los las para con".split()
)
_DETAILS = frozenset(
    "account address age amount city contact currency date day email hour name number person phone place price reason sender street"
    " sum time title total unit value when where which who year".split()
)
"""Details that nearly every subject needs, so that they speak for no butler."""
_SEPARATORS = re.compile(r"[._-]")
_CLAIM = 0.3
_SPLIT = re.compile(r"[,;/\n]|\band\b|\bor\b|\bund\b|\bet\b|\by\b")
_SUFFIXES = ("ations", "ation", "ings", "ing", "ies", "ers", "er", "ed", "es", "en", "s", "e", "y")


@dataclass(frozen=True, slots=True)
class Affinity:
    """`topics`: by topic, the butlers that share it with their weights; `words`: by stem, the butlers that named it."""

    topics: dict[str, tuple[tuple[str, float], ...]]
    words: dict[str, tuple[str, ...]]


def stem(word: str) -> str:
    """Return a folded word without its ending, at least four letters long."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 4:
            return word[: -len(suffix)]
    return word


@lru_cache(maxsize=16)
def affinity(model: Model, registry: RegistryView) -> Affinity:
    """Return what the registry's names and triggers mean to the model."""
    named = {butler.name for butler in registry.butlers} & set(model.topics)
    claims: dict[str, dict[str, float]] = {topic: {topic: 1.0} for topic in named if topic != GENERAL}
    words: dict[str, tuple[str, ...]] = {}
    for butler in registry.butlers:
        if butler.name in named or butler.name == GENERAL:
            continue
        for topic, weight in _claimed(model, butler):
            if topic not in named and topic != "smalltalk":
                claims.setdefault(topic, {})[butler.name] = weight
        for word in _own_words(butler):
            words[word] = (*words.get(word, ()), butler.name)
    return Affinity(topics={topic: _shares(claim) for topic, claim in claims.items()}, words=words)


def _phrases(butler: ButlerProfile) -> list[str]:
    texts = butler.triggers or (butler.description,)
    return [phrase.strip() for text in texts for phrase in _SPLIT.split(text) if phrase.strip()]


def _claimed(model: Model, butler: ButlerProfile) -> list[tuple[str, float]]:
    """Return the topics of a butler's trigger phrases, averaged one by one and read as one text."""
    phrases = [*_phrases(butler), butler.name.replace("-", " ").replace("_", " ")]
    sums = [0.0] * len(model.topics)
    for phrase in phrases:
        sums = [a + b for a, b in zip(sums, model.score(tokens(phrase)).probabilities, strict=True)]
    together = model.score(tokens(", ".join(phrases))).probabilities
    means = [(value / len(phrases) + joint) / 2 for value, joint in zip(sums, together, strict=True)]
    return [
        (topic, min(1.0, 2 * mean)) for topic, mean in zip(model.topics, means, strict=True) if mean >= _CLAIM
    ]


def _own_words(butler: ButlerProfile) -> set[str]:
    """Return the butler's own words: its subjects, name, capabilities and required information."""
    said = " ".join([*butler.triggers, _SEPARATORS.sub(" ", " ".join((butler.name, *butler.capabilities)))])
    return _telling(said, _GENERIC) | _telling(" ".join(butler.required_information), _GENERIC | _DETAILS)


def _telling(text: str, generic: frozenset[str]) -> set[str]:
    stems = {stem(word) for word, _ in tokens(text) if len(word) > 2 and word not in generic}
    return stems - generic


def _shares(claim: dict[str, float]) -> tuple[tuple[str, float], ...]:
    total = max(1.0, sum(claim.values()))
    return tuple((name, weight / total) for name, weight in sorted(claim.items()))
