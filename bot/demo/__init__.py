"""The demonstration: stories of a bump, played by the service itself in the simulated world of the lab."""
