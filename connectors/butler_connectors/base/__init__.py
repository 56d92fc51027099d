"""What every connector has in common: settings, submission, checkpoint, heartbeat, metrics, health (CNX-01)."""
