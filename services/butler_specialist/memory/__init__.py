"""What a butler knows about the sender: facts and preferences as private records (SWB-24.2, ADR 0078)."""
