"""Taking back: which kept entries a person means, what becomes of them, and what is said of it."""
