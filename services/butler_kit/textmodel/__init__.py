"""A linear model of short texts as committed data: features by hashing, weights in a file, scores in plain Python."""
