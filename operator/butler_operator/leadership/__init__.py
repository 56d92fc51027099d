"""Leader election among operators: the one that holds the Lease works; the others watch and wait."""

from butler_operator.leadership.elector import Leadership

__all__ = ["Leadership"]
