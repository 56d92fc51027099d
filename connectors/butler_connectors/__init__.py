"""Transport-only adapters: read a source, normalise, submit, checkpoint after acceptance."""
