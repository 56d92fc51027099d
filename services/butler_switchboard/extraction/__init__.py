"""Finds what members' messages say about people, after routing (SWB-26.1, SWB-17.1; ADR 0085)."""
