"""ButlerOperation, pure parts: the calls an operation becomes, and its status afterwards (D4)."""
