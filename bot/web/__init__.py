"""The service's door: webhooks come in here, and are worked on elsewhere."""
