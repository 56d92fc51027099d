-- The mailbox whose mail Messenger may submit, as its manifest says (D47, ADR 0088). An older replica leaves it alone.
ALTER TABLE butler_registry ADD COLUMN mailbox text;
