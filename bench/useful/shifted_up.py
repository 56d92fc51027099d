"""`butlers`, with the whole household at another time: every process, and its PostgreSQL.

Conversations take place on a fixed day, so that "next Friday" is the same Friday in every run. The household's only
clocks are `SystemClock` and `clock_now()`; both are shifted by the seconds in the environment.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from unittest.mock import patch

from bench.useful.shift import AHEAD, SHIFT
from butler_cli.local import postgres
from butler_cli.local.environment import SHARED_MODULES, shared_environment
from butler_cli.main import main
from butler_cli.verbs import up

ROOT = Path(__file__).parents[2]
PLACES = ("services", "connectors", "operator", "cli")


def environment_with_shift(inherited: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the fork server's environment, with the shift and this tree's code, which is what is measured."""
    path = os.pathsep.join(str(ROOT / place) for place in ("", *PLACES))
    return {**shared_environment(inherited), SHIFT: str(int(AHEAD.total_seconds())), "PYTHONPATH": path}


if __name__ == "__main__":
    tuning = {"butlers.clock_shift": f"{AHEAD.total_seconds():.0f} seconds"}
    modules = (*SHARED_MODULES, "bench.useful.shift")
    with (
        patch.dict(postgres._TUNING, tuning),
        patch.multiple(up, shared_environment=environment_with_shift, SHARED_MODULES=modules),
    ):
        main()
