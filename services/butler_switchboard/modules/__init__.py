"""What Switchboard offers of the household's modules: calendar, telegram, email, memory (SWB-24.2)."""
