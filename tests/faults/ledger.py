"""What a run of the fault suite did and found, added up over all its tests and workers.

`from tests.faults.ledger import LEDGER`, then `LEDGER.kills += 1`. The seed of the run is `seed()`; whatever a test
leaves to chance it takes from `chance(name)`, so that a run with the same seed does the same.
"""

from __future__ import annotations

import os
import random
from collections.abc import Mapping
from dataclasses import asdict, dataclass

__all__ = ["LEDGER", "SEED_VARIABLE", "Ledger", "chance", "seed"]

SEED_VARIABLE = "BUTLERS_FAULTS_SEED"


@dataclass
class Ledger:
    """Counts; `doubles` and `losses` stay 0 or a test has failed."""

    kills: int = 0
    """Processes killed, PostgreSQL and the supervisor included."""
    outages: int = 0
    """Faults that are no kill: connections ended, providers or disks gone, clocks moved, stalls."""
    messages: int = 0
    """Messages handed to a channel whose end was looked at."""
    doubles: int = 0
    losses: int = 0
    uncertain: int = 0

    def add(self, counts: Mapping[str, int]) -> None:
        for name, count in counts.items():
            setattr(self, name, getattr(self, name) + count)

    def counts(self) -> dict[str, int]:
        return asdict(self)

    def line(self) -> str:
        return ", ".join(f"{name} {count}" for name, count in self.counts().items())


LEDGER = Ledger()
"""Of this process; the plugin adds those of all workers up."""


def seed() -> int:
    """The seed of this run, the same in every worker."""
    return int(os.environ[SEED_VARIABLE])


def chance(name: str) -> random.Random:
    """A source of chance that the run's seed and `name` determine."""
    return random.Random(f"{seed()}:{name}")
