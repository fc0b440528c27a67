from tests.engine.charts.conftest import layers, said, table

__all__ = ["layers", "said", "table"]
