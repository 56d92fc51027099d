"""Finds what members' messages say of people, after they were routed (SWB-26.1, SWB-17.1; ADR 0085)."""
