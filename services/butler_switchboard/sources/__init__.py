"""Sources that several instances share: who reads one now, and the documents that they hand on (CNX-17)."""
