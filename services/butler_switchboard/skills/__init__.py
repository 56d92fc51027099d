"""What the Switchboard's sessions know how to do: texts with a name, a version and a purpose (pure; SWB-26.1)."""
