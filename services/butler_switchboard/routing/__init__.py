"""Which butlers get a message: policy, a session of a runtime family, and the verdict on it (pure; SWB-03)."""
