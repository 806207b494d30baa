"""What the bot must remember because no host keeps it."""
