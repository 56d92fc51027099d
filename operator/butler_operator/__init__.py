"""The operator: custom resources in, pods and policies out, states back (architecture §7)."""
