"""Sessions with a model: its tools, their arguments, and the text that it reads (D57, D12)."""
