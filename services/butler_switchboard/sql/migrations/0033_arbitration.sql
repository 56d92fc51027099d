-- Whose answer counts where two butlers contradict each other, as the manifest says (SWB-29.1, ADR 0096). An older replica
-- leaves it alone.
ALTER TABLE butler_registry ADD COLUMN arbitration_priority integer NOT NULL DEFAULT 0;
