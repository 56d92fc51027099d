"""The connector for programs: HTTP posts with a bearer token become requests on the channel `api`."""
