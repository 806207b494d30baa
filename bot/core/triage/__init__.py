"""Triage: what became of each test of a run, from the jobs, their logs and what they left behind."""
