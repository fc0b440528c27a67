"""Whether what is on a screen can still be read where it is shown at half its size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from playwright.sync_api import Page

WIDE: Final = 1024
"""The width of a projector, in pixels."""

SMALLEST: Final = 8.0
"""The least size of letters at half size, in pixels. The small letters are then four pixels high:
with less, the strokes of “e”, “a” and “s” and what is between them fall onto the same pixels."""

CONTRAST: Final = 4.5
"""Between letters and what is behind them, as WCAG 2.2 asks in 1.4.3."""

_LAPS: Final = 2
"""So many pixels two texts may reach into one another: letters leave more free in their boxes."""

_READ: Final = r"""
([within, leave]) => {
  const found = [];
  const paint = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgb = colour => {
    paint.clearRect(0, 0, 1, 1); paint.fillStyle = '#000'; paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1);
    return [...paint.getImageData(0, 0, 1, 1).data];
  };
  const behind = (element, x, y) => {
    for (const each of document.elementsFromPoint(x, y)) {
      if (each === element || element.contains(each)) continue;
      const style = getComputedStyle(each);
      const svg = each instanceof SVGElement && each.tagName !== 'svg';
      if (svg && each.closest('text')) continue;
      const colour = rgb(svg ? style.fill : style.backgroundColor);
      const shown = svg ? style.fill !== 'none' && style.fillOpacity > 0.5 : true;
      if (shown && colour[3] > 200) return colour;
    }
    return [255, 255, 255, 255];
  };
  const root = document.querySelector(within);
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode, element = node.parentElement;
    if (!node.data.trim() || !element.checkVisibility({opacityProperty: true})) continue;
    if (leave && element.closest(leave)) continue;
    const style = getComputedStyle(element), text = element.closest('text');
    if (/Material/.test(style.fontFamily)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const boxes = [...range.getClientRects()].filter(each => each.width > 2 && each.height > 2);
    if (!boxes.length) continue;
    const turn = text ? text.getScreenCTM() : {a: 1, b: 0};
    const scale = Math.hypot(turn.a, turn.b);
    const size = parseFloat(style.fontSize) * scale;
    const at = boxes[0];
    found.push({
      text: node.data.trim().slice(0, 60),
      size,
      colour: rgb(text ? style.fill : style.color),
      behind: behind(text || element, at.left + at.width / 2, at.top + at.height / 2),
      boxes: Math.abs(turn.b) > 0.01 ? [] : boxes.map(each => {
        // A line's box is higher than its letters.
        const spare = Math.max(0, each.height - size) / 2;
        return [each.left, each.top + spare, each.right, each.bottom - spare];
      }),
    });
  }
  return found;
}
"""


@dataclass(frozen=True)
class Trouble:
    """A text that cannot be read at half size.

    Attributes:
        text: its beginning.
        why: what is wrong.
    """

    text: str
    why: str


def troubles(page: Page, within: str, leave: str = "") -> list[Trouble]:
    """What of a page cannot be read at half size: letters that are too small or too faint, and
    texts that lie over one another.

    Args:
        page: it, as wide as it is shown.
        within: the part that is read, as a selector.
        leave: what of it is not read, such as buttons that nobody on the other side presses.
    """
    texts: list[Mapping[str, Any]] = page.evaluate(_READ, [within, leave])
    assert texts, f"nothing is written in {within}"
    found = []
    for each in texts:
        if each["size"] / 2 < SMALLEST - 0.01:
            found.append(Trouble(each["text"], f"letters of {each['size'] / 2:.1f} pixels"))
        contrast = _contrast(each["colour"], each["behind"])
        if contrast < CONTRAST:
            found.append(Trouble(each["text"], f"a contrast of {contrast:.1f}"))
    return found + [
        Trouble(one["text"], f"lies over “{other['text']}”")
        for place, one in enumerate(texts)
        for other in texts[place + 1 :]
        if any(_overlap(a, b) for a in one["boxes"] for b in other["boxes"])
    ]


def _contrast(one: Sequence[int], other: Sequence[int]) -> float:
    dark, light = sorted((_light(one), _light(other)))
    return (light + 0.05) / (dark + 0.05)


def _light(colour: Sequence[int]) -> float:
    channels = (each / 255 for each in colour[:3])
    linear = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _overlap(one: Sequence[float], other: Sequence[float]) -> bool:
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    return across > _LAPS and down > _LAPS
