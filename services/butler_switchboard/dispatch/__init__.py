"""From a routed message to its end: plan, fan-out, answers, and what people are told."""
