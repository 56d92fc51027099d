"""Fits what tells the sorts of telling apart; needs numpy and numba, which no service loads."""
