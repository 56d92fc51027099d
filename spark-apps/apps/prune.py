"""The pruning program for spark-submit: the command itself; it computes nothing, so Spark is not started."""

import sys

from butler_rollups.cli import main

main(["prune", *sys.argv[1:]])
