"""What spark-submit runs once a day: the days, then their fan-out, with one start of Java for both."""

import os
import sys

from butler_rollups.cli import perform

codes = [perform([job, "--engine", "spark", *sys.argv[1:]], os.environ) for job in ("daily", "fanout")]
sys.exit(max(codes))
