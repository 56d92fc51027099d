"""What everybody needs who reads messages from a source: bounds, what becomes of an event, whose are left out."""
