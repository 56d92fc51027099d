-- Whom a cluster's service account speaks for: one butler or one connector, as the operator declared it (D2, D3).

CREATE TABLE subject_binding (
    subject text PRIMARY KEY,
    butler text UNIQUE,
    connector_type text,
    endpoint_identity text,
    max_tier text CHECK (max_tier IN ('default', 'interactive', 'high_priority')),
    declared_at timestamptz NOT NULL,
    UNIQUE (connector_type, endpoint_identity),
    CONSTRAINT subject_binding_names_one_caller CHECK (
        CASE
            WHEN butler IS NOT NULL THEN num_nonnulls(connector_type, endpoint_identity, max_tier) = 0
            ELSE num_nonnulls(connector_type, endpoint_identity, max_tier) = 3
        END
    )
);
