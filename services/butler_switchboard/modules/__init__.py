"""The household's modules as Switchboard offers them: calendar, telegram, email, memory (SWB-24.2)."""
