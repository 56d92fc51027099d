"""Actions of a signed-in operator: Switchboard's tools, called with the operator's own token (D80)."""
