"""The Telegram bot connector: long polling of the Bot API (https://core.telegram.org/bots/api)."""
