"""ButlerOperation, purely: which call an operation becomes, and what its status says afterwards (D4)."""
