"""Shared by all benchmarks: machine facts, interleaved slices, processor time per process, goals in a table."""
