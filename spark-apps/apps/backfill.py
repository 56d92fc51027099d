"""The program for spark-submit after a backfill (`--backfill ID`): every table, with one start of Java for all.

First come the hours that are due anyway: a day is computed only after each of its finished hours.
"""

import os
import sys

from butler_rollups.cli import perform

jobs = ("hourly", "daily", "fanout")
due = ["hourly", "--engine", "spark", *(one for one in sys.argv[1:] if one == "--json")]
codes = [perform(due, os.environ)]
codes += [perform([job, "--engine", "spark", *sys.argv[1:]], os.environ) for job in jobs]
sys.exit(max(codes))
