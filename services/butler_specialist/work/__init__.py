"""What happens to accepted work: one session, one outcome, one answer, one completion."""
