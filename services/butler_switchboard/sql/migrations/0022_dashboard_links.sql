-- Links that open one session at the dashboard (SWB-43): of each link's code a digest, and the token that it stands for,
-- sealed with a key that only the code holds. In the database, so that whichever replica meets the link knows it. The
-- dashboard's role may read, add and remove rows.
CREATE TABLE dashboard_link (
    link_id bytea PRIMARY KEY CHECK (octet_length(link_id) = 32),
    sealed_token bytea NOT NULL,
    expires_at timestamptz NOT NULL
);
