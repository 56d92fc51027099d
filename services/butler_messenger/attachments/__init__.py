"""Files sent with a message: their allowed origins, their fetching, and the text for a missing one."""
