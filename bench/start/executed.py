"""`examples.demo.run` on a system that cannot fork, for reference: each process is executed and imports for itself."""

from __future__ import annotations

import sys

from examples.demo import household
from examples.demo.run import main

household.PROGRAM = ("-m", "bench.start.executed_up")

if __name__ == "__main__":
    sys.exit(main())
