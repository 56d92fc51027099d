"""Measurements, medication, symptoms, diet."""
