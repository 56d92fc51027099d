"""The service levels of the message plane (SWB-41.1), and what is held back while they are missed."""
