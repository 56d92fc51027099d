"""The training of the rules family's model: corpus → samples → weights. Never imported while routing."""
