-- The people the household knows (D49). Messenger owns this schema; it is filled from the contacts file.

CREATE TABLE contacts (
    contact_id uuid PRIMARY KEY,
    name text NOT NULL UNIQUE,
    role text NOT NULL CHECK (role IN ('owner', 'member', 'other')),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX contacts_one_owner ON contacts (role) WHERE role = 'owner';

-- An identifier names one person: `type` is a channel, `value` is normalised.
CREATE TABLE contact_info (
    contact_id uuid NOT NULL REFERENCES contacts ON DELETE CASCADE,
    type text NOT NULL,
    value text NOT NULL,
    is_primary boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (type, value)
);
CREATE INDEX contact_info_contact ON contact_info (contact_id, type);

-- What a person must decide or supply before a delivery can go on (MSG-6.2).
CREATE TABLE pending_actions (
    action_id uuid PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('missing_identifier')),
    delivery_id uuid NOT NULL,
    request_id uuid,
    origin_butler text NOT NULL,
    contact_id uuid,
    channel text NOT NULL,
    summary text NOT NULL,
    status text NOT NULL CHECK (status IN ('open', 'closed')),
    notice_delivery_id uuid,
    created_at timestamptz NOT NULL,
    closed_at timestamptz
);
CREATE INDEX pending_actions_open ON pending_actions (created_at) WHERE status = 'open';
