"""What people say that more than one service has to recognise (pure)."""
