"""The catch-all: lists, notes, tasks, dates, and what nobody else handles."""
