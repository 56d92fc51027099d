"""Received mail: read by IMAP without marking anything, and normalised the same way for every reader."""
