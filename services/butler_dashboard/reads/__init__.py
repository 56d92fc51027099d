"""The reads of the API and the pages: async functions over the views that return frozen models."""
