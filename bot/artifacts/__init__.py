"""A few files out of large zips over HTTP, of which only the needed bytes are asked for."""
