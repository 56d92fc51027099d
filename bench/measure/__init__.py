"""What every bench shares: machine facts, interleaved slices, processor time per process, goals in a table."""
