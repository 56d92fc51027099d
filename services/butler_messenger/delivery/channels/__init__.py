"""One adapter a provider; each says what happened in the same few words (`outcomes`)."""
