"""The connector of programs: HTTP posts by bearer token become requests on the channel `api`."""
