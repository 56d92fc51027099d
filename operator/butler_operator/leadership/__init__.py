"""Which of several operators works: the one that holds the Lease; the others watch and wait."""

from butler_operator.leadership.elector import Leadership

__all__ = ["Leadership"]
