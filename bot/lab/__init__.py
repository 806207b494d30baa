"""The simulated world: a GitHub on real git objects, for demonstrations, stories and measurements."""
