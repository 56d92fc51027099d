"""What drives reconciling: the queue of keys, what was observed, resync, the registry's beat."""
