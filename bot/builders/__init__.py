"""Builders of containers: each asks another program, or another machine, for the same build."""
