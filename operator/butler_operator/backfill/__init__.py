"""BackfillJobs: a row in Switchboard for each, its progress in the status (SWB-18 to SWB-20, D34)."""
