"""The skills of Switchboard's sessions: texts with a name, a version and a purpose (pure; SWB-26.1)."""
