"""The processing of accepted work: one session, one outcome, one answer, one completion."""
