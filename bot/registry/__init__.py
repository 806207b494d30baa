"""Container registries over HTTP: the only home of httpx."""
