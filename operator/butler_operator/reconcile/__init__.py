"""Pure core: from observed and desired state to actions and status."""
