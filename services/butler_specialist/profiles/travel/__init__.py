"""Flights, trains, hotels, itineraries and their changes."""
