"""PURE: what a person's text says: amounts, dates, measurements, names, flights, lists.

Invariant: time and zone are arguments, nothing depends on a locale, and whatever is found stands in the text.
"""
