"""The version of `relationship-extractor` for the family `rules`: phrases in four languages (pure; SWB-26.1)."""
