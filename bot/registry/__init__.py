"""Container registries over HTTP."""
