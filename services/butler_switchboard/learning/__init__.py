"""What a household's corrections teach: examples, rules that a member agreed to, and what would change (ADR 0111)."""
