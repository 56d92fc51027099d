"""Changes to stored entries: which ones a person means, what becomes of them, and what is said about it."""
