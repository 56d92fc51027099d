"""What nobody asked for waits for the end of a person's quiet hours (D66, docs/adr/0080)."""
