"""What verbs print: tables and timelines for a person, one JSON document for a script."""
