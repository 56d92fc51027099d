"""`butlers`, with the whole household at another moment: every process, and its PostgreSQL.

Conversations are said on a fixed day, so that "next Friday" is the same Friday in every run. All that the household
knows of time is `SystemClock` and `clock_now()`; both are set off by the seconds in the environment.
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
    """The fork server's: it has to find the shift, and to know how far. What is measured is the code of this tree."""
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
