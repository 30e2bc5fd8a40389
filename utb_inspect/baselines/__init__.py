"""Offline models, run as `--model utb/NAME`: for tests, demonstrations, and as floors that a score must clear."""
