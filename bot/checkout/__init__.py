"""A clone on this machine: its files read, searched and rewritten; its `.git` only read."""
