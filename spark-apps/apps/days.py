"""What spark-submit runs once a day: the days, their fan-out, how good routing was; with one start of Java for all."""

import os
import sys

from butler_rollups.cli import perform

codes = [
    perform([job, "--engine", "spark", *sys.argv[1:]], os.environ) for job in ("daily", "fanout", "quality")
]
sys.exit(max(codes))
