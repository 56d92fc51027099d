"""kopf's side of the operator: each handler notes what it was told and asks for a reconcile."""
