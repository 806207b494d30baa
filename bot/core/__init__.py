"""Decisions of the bot: text and values in, text and values out; nothing here touches the outside."""
