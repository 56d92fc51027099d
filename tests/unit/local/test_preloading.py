"""What the parent of a household's processes imports, it really has, and the applications of the ops APIs with it."""

from __future__ import annotations

import subprocess
import sys

from butler_cli.local.environment import SHARED_MODULES, shared_environment

PROGRAM = """
import importlib, sys
for module in sys.argv[1:]:
    importlib.import_module(module)
before = set(sys.modules)
from butler_messenger.app import _ops_app as messenger
from butler_specialist.app import _ops_app as specialist
from butler_switchboard.operations.ops_api import _app as switchboard
print([bool(load().routes) for load in (messenger, specialist, switchboard)], set(sys.modules) - before)
"""


def test_the_first_question_to_an_ops_api_imports_nothing_that_the_parent_has_not() -> None:
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM, *SHARED_MODULES],
        env=shared_environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert told.stdout.strip() == "[True, True, True] set()"
