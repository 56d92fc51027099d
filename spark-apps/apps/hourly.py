"""What spark-submit runs for the hours: the command itself, on Spark."""

import sys

from butler_rollups.cli import main

main(["hourly", "--engine", "spark", *sys.argv[1:]])
