"""The command line: reads words, calls flows, prints."""
