"""Sources shared by several instances: which one reads now, and the documents they hand on (CNX-17)."""
