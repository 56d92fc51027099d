"""Admission, triage and the tiered buffer: from an envelope to a durable, queued request."""
