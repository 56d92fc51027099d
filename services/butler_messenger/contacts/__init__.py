"""The people the household knows: from the contacts file into schema `shared` (D49)."""
