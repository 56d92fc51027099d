"""A trial: two pairs of model and prompt, a share of threads, a decision in it (pure; SWB-36.1, ADR 0095, 0117).

Invariants: a rollout's key names both versions exactly, so another model, other instructions or another revision of the
shipped ones is another rollout. A thread has one arm of a rollout, on every replica and after every restart; a larger
share takes threads from the usual arm and gives none back.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

__all__ = ["Arm", "Rollout", "Trial", "Version", "arm_of", "mark_of"]

_KEY_DIGITS: Final = 16
_MARK_DIGITS: Final = 16
_POINTS: Final = 16**_MARK_DIGITS
_RULES: Final = "rules"


class Arm(StrEnum):
    """The two sides that are compared."""

    USUAL = "usual"
    CANDIDATE = "candidate"


@dataclass(frozen=True, slots=True)
class Version:
    """A model, the version of the prompt that it gets, and the runtime family that asks it.

    Of family `rules` the model is the version of the rules.
    """

    model: str
    prompt: str
    family: str = "api"

    @property
    def asked(self) -> str | None:
        """The model to ask; None where rules decide."""
        return None if self.family == _RULES else self.model


@dataclass(frozen=True, slots=True)
class Rollout:
    """What the manifest says about a candidate; `instructions` are the household's own words in its prompt.

    `minimum` is the number of decisions in each arm before anything is concluded; `attempt` distinguishes a candidate
    that is tried once more from one that was rolled back. `apart`: the candidate has a runtime of its own.
    """

    usual: Version
    candidate: Version
    instructions: str
    percent: int
    minimum: int
    significance: float
    attempt: int = 1
    apart: bool = False

    @property
    def key(self) -> str:
        """A hexadecimal digest of both versions and the attempt; share and bounds may change meanwhile."""
        named = (self.usual, self.candidate)
        families = [one.family for one in named] if self.apart else []
        said = json.dumps([[one.model, one.prompt] for one in named] + [self.attempt, *families])
        return hashlib.sha256(said.encode()).hexdigest()[:_KEY_DIGITS]

    def label(self, version: Version) -> str:
        """Return its model for a person, with the family where there are two runtimes."""
        return f"{version.family} {version.model}" if self.apart and version.asked else version.model


@dataclass(frozen=True)
class Trial:
    """What a decision shows about the arm it belongs to; `thread` is the mark of its thread.

    `unanswered` if the model that was to decide did not, `invalid` if its answer could not be used; `family` is that of
    the runtime that was to decide, None if an earlier version recorded it.
    """

    rollout: str
    arm: Arm
    thread: str
    unanswered: bool = False
    invalid: bool = False
    family: str | None = None


def mark_of(rollout: Rollout, thread: str) -> str:
    """Return a thread's mark in a rollout: a hash of the key and the thread's name, in hexadecimal digits."""
    return hashlib.sha256(f"{rollout.key}\0{thread}".encode()).hexdigest()[:_MARK_DIGITS]


def arm_of(rollout: Rollout, mark: str) -> Arm:
    """Return the arm of the thread with that mark."""
    return Arm.CANDIDATE if int(mark, 16) * 100 < rollout.percent * _POINTS else Arm.USUAL
