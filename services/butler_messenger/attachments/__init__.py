"""Files that go out with a message: where they may come from, how they are fetched, what is said where none comes."""
