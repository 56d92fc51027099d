"""Wordings that more than one service has to recognise (pure)."""
