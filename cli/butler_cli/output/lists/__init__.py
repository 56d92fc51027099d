"""Lists of what a household did and does, one table each."""
