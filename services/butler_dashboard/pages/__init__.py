"""Pages over the same reads as the API: complete without scripts, renewed in place with them (CNX-14)."""
