"""Everything that talks to the outside world: HTTP, git, archives."""
