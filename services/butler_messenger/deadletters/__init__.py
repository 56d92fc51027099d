"""Dead letters: listed, inspected, replayed once, discarded (MSR-08, MSG-5.1.2)."""
