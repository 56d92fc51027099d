"""The effect of an edited message on the facts of its former versions."""
