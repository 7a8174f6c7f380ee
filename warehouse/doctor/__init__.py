"""Read-only checks of an installation; each finding states the remedy."""
