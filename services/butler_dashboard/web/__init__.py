"""What holds for every answer: headers, hosts, sizes, and the form of an error."""
