-- Who is signed in at the dashboard (SWB-43): of each browser's cookie a digest, and its token, sealed with a key that only
-- the cookie holds. The dashboard's role may read, add and remove rows; whoever reads them learns who cannot be imitated.
CREATE TABLE dashboard_sign_in (
    sign_in_id bytea PRIMARY KEY CHECK (octet_length(sign_in_id) = 32),
    sealed_token bytea NOT NULL,
    expires_at timestamptz NOT NULL
);
