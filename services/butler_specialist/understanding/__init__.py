"""PURE: what a person's text says: amounts, dates, measurements, names, flights, lists.

Invariant: time and zone come in as arguments, nothing depends on a locale, and whatever is found stands in the text.
"""
