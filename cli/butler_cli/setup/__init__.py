"""What `butlers init` asks, checks with the providers and writes."""
