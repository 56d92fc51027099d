"""What spark-submit runs after a backfill (`--backfill ID`): every table, with one start of Java for all.

First the hours that are due by themselves: a day is computed only when each of its hours that is over has been.
"""

import os
import sys

from butler_rollups.cli import perform

jobs = ("hourly", "daily", "fanout")
due = ["hourly", "--engine", "spark", *(one for one in sys.argv[1:] if one == "--json")]
codes = [perform(due, os.environ)]
codes += [perform([job, "--engine", "spark", *sys.argv[1:]], os.environ) for job in jobs]
sys.exit(max(codes))
