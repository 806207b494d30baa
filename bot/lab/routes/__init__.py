"""GitHub's routes: each function turns one call into records changed and an answer."""
