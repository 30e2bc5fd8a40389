"""From verdicts to figures."""
