"""What the API and the pages read: async functions over the views that give frozen models."""
