"""Pages over the same reads as the API: complete without scripts, updated in place with them (CNX-14)."""
