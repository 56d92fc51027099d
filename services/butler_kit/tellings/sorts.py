"""How likely each sort of telling is for a clause, by a linear model of its words (pure; ADR 0091).

The model is data: `weights.bin`, fitted on `corpus/` by `training`. It says of a clause alone what its writer does with
it, whatever the numbers in it are; `MODEL.md` has the sorts, the corpus, the figures.
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
"""Of a clause; a longer one is prose, of which the corpus has none."""


@lru_cache(maxsize=1)
def load_model() -> Model:
    """The model that ships with the package."""
    return read_model(resources.files(__package__).joinpath(WEIGHTS_FILE).read_bytes())


@lru_cache(maxsize=1024)
def sorts_of(text: str) -> Mapping[str, float]:
    """Probabilities by sort, in [0, 1], that add up to one; none for a text that is no clause."""
    if not text.strip() or len(text) > _MOST_CHARS:
        return {}
    model = load_model()
    return dict(zip(model.topics, model.score(tokens(text)).probabilities, strict=True))


def share_of(sorts: Mapping[str, float], wanted: Collection[str]) -> float:
    """How likely it is one of `wanted`."""
    return sum(sorts.get(name, 0.0) for name in wanted)


def tells(sort: str, text: str, least: float) -> bool:
    """Whether a clause is of a sort by more than `least`."""
    return sorts_of(text).get(sort, 0.0) > least


def tells_of_an_event(text: str) -> bool:
    """Whether it is most likely something fixed that is still to come, also without a verb: "neuro thurs 10.40"."""
    return tells("event", text, EVENT)
