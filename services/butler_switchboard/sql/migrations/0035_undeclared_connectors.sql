-- Connectors that were declared once and are no more: they stay on record (CNX-12.4), but nobody misses them. The release before
-- neither reads nor writes it.
ALTER TABLE connector_registry ADD COLUMN undeclared_at timestamptz;
COMMENT ON COLUMN connector_registry.undeclared_at IS 'When it was undeclared; null while it is declared.';
-- Those of earlier days: where connectors are declared at all, which is on a cluster, all that run are.
UPDATE connector_registry AS known SET undeclared_at = clock_now()
WHERE
    EXISTS (SELECT FROM subject_binding AS any_source WHERE any_source.connector_type IS NOT NULL)
    AND NOT EXISTS (
        SELECT FROM subject_binding AS binding
        WHERE
            binding.connector_type = known.connector_type
            AND binding.endpoint_identity = known.endpoint_identity
    );
