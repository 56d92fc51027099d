"""The daily program for spark-submit: days, fan-out and routing quality, with one start of Java for all."""

import os
import sys

from butler_rollups.cli import perform

codes = [
    perform([job, "--engine", "spark", *sys.argv[1:]], os.environ) for job in ("daily", "fanout", "quality")
]
sys.exit(max(codes))
