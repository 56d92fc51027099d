-- Sources whose state Switchboard keeps (CNX-17, D33): who of several instances reads one now. The row is locked by whatever
-- is written for the source, so that nothing of a former holder is written after the lease has changed hands.
CREATE TABLE source_leases (
    connector_type text NOT NULL,
    endpoint_identity text NOT NULL,
    holder uuid NOT NULL,
    -- Grows with every change of hands; a holder shows it with every write.
    token bigint NOT NULL,
    since timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (connector_type, endpoint_identity)
);

-- Instances that asked for a lease and did not get it; a row a process of a connector, forgotten a minute after its last.
CREATE TABLE source_standbys (
    connector_type text NOT NULL,
    endpoint_identity text NOT NULL,
    instance_id uuid NOT NULL,
    seen_at timestamptz NOT NULL,
    PRIMARY KEY (connector_type, endpoint_identity, instance_id)
);

-- The checkpoint of a source and what goes with it (closed albums, parked messages, refusals): JSON as it was sent. Text, for
-- what people write may hold what jsonb refuses.
CREATE TABLE source_documents (
    connector_type text NOT NULL,
    endpoint_identity text NOT NULL,
    name text NOT NULL,
    version bigint NOT NULL,
    content text NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (connector_type, endpoint_identity, name)
);
