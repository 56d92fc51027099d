"""The hourly program for spark-submit: the command itself, on Spark."""

import sys

from butler_rollups.cli import main

main(["hourly", "--engine", "spark", *sys.argv[1:]])
