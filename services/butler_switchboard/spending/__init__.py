"""The household's ledger of what models cost, which Switchboard keeps for every butler (SWB-33.1, D59, ADR 0066)."""
