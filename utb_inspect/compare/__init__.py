"""Finished runs compared: logs to samples, samples to tables and statistics, tables to reports."""
