"""Pure core: what was observed and what is desired, to actions and status."""
