"""Engines: what decides when a key is worked on, and by how many threads or processes."""
