"""From a checkout to another cluster's registry: images, charts, and the values that name them by digest (ADR 0055)."""
