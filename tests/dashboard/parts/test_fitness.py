"""What a table is fit for, on a page."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def test_every_pair_that_is_not_counted_stands_under_why_it_is_not() -> None:
    def page() -> None:
        from understudy.evaluation.fitness import Use
        from understudy_dashboard.parts.panel import draw_uses

        lost = Use("How “a” × “b” and 2 further pairs go together", "they are not counted",
                   ("“a” with “b” and “c”", "“b” with “c”"))  # fmt: skip
        draw_uses((Use("Teaching", "it is"),), (lost, Use("Finding people", "nobody’s")))

    drawn = AppTest.from_function(page).run()
    assert not drawn.exception
    (named,) = drawn.expander
    assert named.label == "All of them by name"
    said = named.markdown[0].value
    assert said.startswith("They are not counted:")
    assert all(pair in said for pair in ("“a” with “b” and “c”", "“b” with “c”"))
