"""Megatron's test recipes: which rows a test has, how it is taken out of the gate, and the way back."""
