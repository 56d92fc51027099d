"""The only component that sends: turns notify.v1 intents into exactly one visible message."""
