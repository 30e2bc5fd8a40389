"""Datasets: what they hold, and how they are read."""

from utb_inspect.datasets.dataset import Dataset, Layout, PlacedTurn, PublicTurn
from utb_inspect.datasets.loader import load, shipped

__all__ = ["Dataset", "Layout", "PlacedTurn", "PublicTurn", "load", "shipped"]
