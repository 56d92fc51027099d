"""A year of reminders in minutes: the product's store, queue and worker, with a simulated clock, kills and jumps."""
