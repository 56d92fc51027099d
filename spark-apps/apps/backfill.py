"""What spark-submit runs after a backfill (`--backfill ID`): every table, with one start of Java for all."""

import os
import sys

from butler_rollups.cli import perform

jobs = ("hourly", "daily", "fanout")
codes = [perform([job, "--engine", "spark", *sys.argv[1:]], os.environ) for job in jobs]
sys.exit(max(codes))
