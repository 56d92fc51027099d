"""Fits a linear model of texts; needs numpy and numba, which no service loads."""
