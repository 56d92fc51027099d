"""Read-only questions before a message is asked for and about how delivery stands (MSG-5.1.3, MSG-5.1.4, MSR-10)."""
