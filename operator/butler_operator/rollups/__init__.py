"""A household's statistics on Spark: schedules, runs, progress, and the run after a backfill."""
