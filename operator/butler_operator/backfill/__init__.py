"""BackfillJobs: each has a row in Switchboard and its progress in the status (SWB-18 to SWB-20, D34)."""
