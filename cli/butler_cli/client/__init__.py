"""How a verb talks to a running household: where its services are, who asks, and errors in words."""
