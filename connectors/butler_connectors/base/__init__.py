"""What all connectors share: settings, submission, checkpoint, heartbeat, metrics, health (CNX-01)."""
