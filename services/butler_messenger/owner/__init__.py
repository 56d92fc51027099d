"""What the owner is told besides answers, within bounds (D64, docs/adr/0021)."""
