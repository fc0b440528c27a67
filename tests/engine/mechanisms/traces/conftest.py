from tests.engine.cli.conftest import census, census_schema, done_here, home, small, understudy

__all__ = ["census", "census_schema", "done_here", "home", "small", "understudy"]
