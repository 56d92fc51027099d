"""Rules for every response: headers, hosts, sizes, and the error format."""
