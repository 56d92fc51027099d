"""The `butlers` command: run a household on one machine and look into it."""
