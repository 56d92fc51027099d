"""The router's model: the committed weights, read once."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources

from butler_kit.textmodel.model import Model, read_model

__all__ = ["WEIGHTS_FILE", "load_model"]

WEIGHTS_FILE = "weights.bin"


@lru_cache(maxsize=1)
def load_model() -> Model:
    """Return the model that ships with the package."""
    return read_model(resources.files(__package__).joinpath(WEIGHTS_FILE).read_bytes())
