"""A year of reminders in minutes: the product's store, queue and worker, a clock that is told, kills and jumps."""
