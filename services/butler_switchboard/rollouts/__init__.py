"""Tries a candidate for routing on a share of the threads; rolls it back if certainly worse (SWB-36.1)."""
