"""The base-image bump bot: moves a GPU training repository to a new NVIDIA NGC image."""
