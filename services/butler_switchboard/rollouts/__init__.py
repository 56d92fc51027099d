"""A candidate for routing is tried on a share of the threads, and given up where it is certainly worse (SWB-36.1)."""
