"""Golden values: read from bytes, compared, and judged for a refresh."""
