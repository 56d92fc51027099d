"""The specialist runtime: takes routed work, keeps it as dated records, answers from them (CON-4.4, SWB-17.3)."""
