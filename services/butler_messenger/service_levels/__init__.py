"""The service levels of deliveries (MSG-15), and what is slowed down while they are missed."""
