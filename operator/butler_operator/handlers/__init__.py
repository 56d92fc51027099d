"""The operator's kopf handlers: each records the object it is given and requests a reconcile."""
