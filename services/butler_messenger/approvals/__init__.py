"""Deliveries and calls that need approval: held, asked about, decided once, carried out once (MSR-03)."""
