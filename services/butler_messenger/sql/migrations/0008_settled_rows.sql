-- A delivery changes two or three times in its first seconds and then never again. Dead rows are cleared away by their
-- number, not when they are a fifth of all that was ever kept; new pages leave room for those changes.
ALTER TABLE delivery_requests SET (
    fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_analyze_scale_factor = 0.02
);
