"""Whether deliveries are as good as they are to be (MSG-15), and what is slowed down while they are not."""
