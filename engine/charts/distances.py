"""How far tables are from the held-out records: every figure of it, and each as a table."""

from engine.charts.boxes import boxes, boxes_table, every_distance_table
from engine.charts.heatmaps import heatmap, heatmap_table
from engine.charts.pair_shares import side_by_side, side_by_side_table

__all__ = [
    "boxes",
    "boxes_table",
    "every_distance_table",
    "heatmap",
    "heatmap_table",
    "side_by_side",
    "side_by_side_table",
]
