"""GitLab, through python-gitlab; nothing outside of this package knows the library."""
