"""The little that the theme's settings cannot say."""

from __future__ import annotations

from typing import Final

CSS: Final = """
<style>
[class*="st-key-internal-"] {
  border-left: 0.25rem dashed light-dark(#c4690f, #e8a33d);
  padding: 0.25rem 0 0.25rem 0.9rem;
}
[class*="st-key-stain"] {
  border: 0.2rem double light-dark(#b3261e, #ff8a80);
  border-radius: 0.5rem;
  padding: 0.75rem 1rem;
}
[data-testid="stMain"] [data-testid="stPageLink"] a {
  border: 1px solid light-dark(#00639b, #56b4e9);
  border-radius: 0.4rem;
  padding: 0.35rem 0.9rem;
  width: fit-content;
}
.st-key-meter [data-testid="stMetricValue"] {
  font-size: 1.45rem;
  font-variant-numeric: tabular-nums;
}
[data-testid="stBaseButton-primary"]:not(:disabled),
[data-testid="stBaseButton-primary"]:not(:disabled) p,
[data-testid="stMultiSelect"] [data-tag],
[data-testid="stMultiSelect"] [data-tag] * {
  color: light-dark(#ffffff, #0b1116);
}
[data-testid="stElementContainer"]:has([data-testid="stVegaLiteChart"])
  [data-testid="stElementToolbar"] { display: none; }
.st-key-meter p { margin-bottom: 0.25rem; }
.st-key-meter table { width: 100%; font-size: 0.875rem; font-variant-numeric: tabular-nums; }
.st-key-meter :is(th, td) { padding: 0.15rem 0.5rem; }
</style>
"""
