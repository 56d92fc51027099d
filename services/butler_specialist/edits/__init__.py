"""What an edited message does to the facts of its former versions."""
