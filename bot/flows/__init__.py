"""Observe, decide, perform: what the command line does with the core and the ports."""
