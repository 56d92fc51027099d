"""A household's statistics on Spark: schedules, runs, how far they are, and the run after a backfill."""
