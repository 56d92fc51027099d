"""What spark-submit runs to let old statistics go: the command itself; nothing is computed, so Spark is not started."""

import sys

from butler_rollups.cli import main

main(["prune", *sys.argv[1:]])
