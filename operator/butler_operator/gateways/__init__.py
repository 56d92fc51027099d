"""Switchboard and Messenger as the operator calls them."""
