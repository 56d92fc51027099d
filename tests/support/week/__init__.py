"""A week in the life of a household: what is said in `examples/week`, and what came of each message."""

from __future__ import annotations

from .looking import Looked, Shown
from .playing import Heard, Played, played
from .reading import WEEK, Week, load

__all__ = ["WEEK", "Heard", "Looked", "Played", "Shown", "Week", "load", "played"]
