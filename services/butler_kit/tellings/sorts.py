"""The probability of each sort of telling for a clause, by a linear model of its words (pure; ADR 0091).

The model is data: `weights.bin`, fitted on `corpus/` by `training`. It judges from the clause alone what its writer
does with it, whatever the numbers in it are; `MODEL.md` has the sorts, the corpus, the figures.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from importlib import resources
from typing import Final

from butler_kit.textmodel.features import tokens
from butler_kit.textmodel.model import Model, read_model

__all__ = ["WEIGHTS_FILE", "load_model", "share_of", "sorts_of", "tells", "tells_of_an_event"]

WEIGHTS_FILE: Final = "weights.bin"
EVENT: Final = 0.7
_MOST_CHARS: Final = 240
"""The limit of a clause; a longer one is prose, which the corpus does not have."""


@lru_cache(maxsize=1)
def load_model() -> Model:
    """Return the model that ships with the package."""
    return read_model(resources.files(__package__).joinpath(WEIGHTS_FILE).read_bytes())


@lru_cache(maxsize=1024)
def sorts_of(text: str) -> Mapping[str, float]:
    """Return probabilities by sort, in [0, 1], that add up to one; empty for a text that is no clause."""
    if not text.strip() or len(text) > _MOST_CHARS:
        return {}
    model = load_model()
    return dict(zip(model.topics, model.score(tokens(text)).probabilities, strict=True))


def share_of(sorts: Mapping[str, float], wanted: Collection[str]) -> float:
    """Return the probability that it is one of `wanted`."""
    return sum(sorts.get(name, 0.0) for name in wanted)


def tells(sort: str, text: str, least: float) -> bool:
    """Return whether a clause is of a sort with a probability above `least`."""
    return sorts_of(text).get(sort, 0.0) > least


def tells_of_an_event(text: str) -> bool:
    """Return whether it most likely tells of a coming event, even without a verb: "neuro thurs 10.40"."""
    return tells("event", text, EVENT)
