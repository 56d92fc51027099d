"""Mail providers on loopback for tests and the demo: an IMAP server (pymap) and an SMTP server (aiosmtpd).

Import them from their modules (`imap_server`, `smtp_server`), which also run as `python -m`.
"""
