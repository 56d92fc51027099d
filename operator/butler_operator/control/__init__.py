"""What drives reconciling: the key queue, the observed objects, resync, the registry's beat."""
