"""What is sent only once a person has approved of it: held, asked about, decided once, carried out once (MSR-03)."""
