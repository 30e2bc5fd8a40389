"""Finished logs scored again, without a model: what changed, and which logs are of other data or scoring versions."""
