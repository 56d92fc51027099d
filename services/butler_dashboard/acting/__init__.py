"""What a signed-in operator can do on the pages: through Switchboard's tools, with the operator's own token (D80)."""
