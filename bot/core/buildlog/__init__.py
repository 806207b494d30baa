"""Why a container build broke, from its log."""
