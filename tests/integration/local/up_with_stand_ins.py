"""`butlers` with every service replaced by the stand-in; everything else is the real command line.

`up_with_stand_ins.py up -f DIR --state DIR --port-base 0`
"""

import sys
from dataclasses import replace
from pathlib import Path

from butler_cli.local import detach
from butler_cli.local import prepare as preparation
from butler_cli.local.plan import ProcessSpec, plan_processes
from butler_cli.main import main

STAND_IN = str(Path(__file__).with_name("stand_in.py"))


def planned(*arguments: object, **named: object) -> tuple[ProcessSpec, ...]:
    specs = plan_processes(*arguments, **named)  # type: ignore[arg-type]
    return tuple(replace(spec, argv=(sys.executable, STAND_IN, *spec.argv[3:])) for spec in specs)


preparation.plan_processes = planned  # type: ignore[attr-defined]
detach.PROGRAM = ("-P", __file__)
main()
