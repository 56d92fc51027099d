"""Fleets of connectors by chance, an oracle for what their statistics must be, and a database to try engines on."""
