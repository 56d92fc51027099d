"""PURE: questions about records: recognised, turned into a period and a subject, worded from rows."""
