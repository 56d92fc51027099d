"""From a durable delivery to a provider's receipt: claim, mark, call, decide, record, report."""
