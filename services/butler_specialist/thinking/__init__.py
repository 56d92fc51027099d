"""Sessions with a model: the tools it gets, what they take, and the text that it reads (D57, D12)."""
