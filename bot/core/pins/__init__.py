"""Pins: where a repository's files name its base image, and how one of them is moved."""
