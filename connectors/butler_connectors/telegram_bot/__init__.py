"""The connector of a Telegram bot: long polling of the Bot API (https://core.telegram.org/bots/api)."""
