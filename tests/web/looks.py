"""What a page looks like, computed by the browser: contrast, what is wider than the screen, and where the focus is."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

__all__ = ["controls", "focused", "poor_contrasts", "too_wide"]

_COLOURS = """
  const parse = (text) => {
    const parts = text.match(/[\\d.]+/g).map(Number);
    return { r: parts[0], g: parts[1], b: parts[2], a: parts.length > 3 ? parts[3] : 1 };
  };
  const over = (top, under) => ({
    r: top.r * top.a + under.r * (1 - top.a), g: top.g * top.a + under.g * (1 - top.a),
    b: top.b * top.a + under.b * (1 - top.a), a: 1,
  });
  const light = ({ r, g, b }) => {
    const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    const [x, y, z] = [r, g, b].map((v) => linear(v / 255));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.a > 0) layers.push(colour);
      if (colour.a === 1) break;
    }
    return layers.reverse().reduce((under, top) => over(top, under), { r: 255, g: 255, b: 255, a: 1 });
  };
  const contrast = (colour, under) => {
    const [one, two] = [light(over(parse(colour), under)), light(under)];
    return (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
  };
"""
_CONTRAST = (
    "() => {"
    + _COLOURS
    + """
  const poor = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !element.checkVisibility({ visibilityProperty: true })) continue;
    const style = getComputedStyle(element);
    const ratio = contrast(style.color, ground(element));
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) poor.push(`${node.data.trim().slice(0, 40)}: ${ratio.toFixed(2)}`);
  }
  return poor;
}
"""
)
_CONTROLS = """
() => {
  const wanted = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']";
  const scrolls = (one) => /auto|scroll/.test(getComputedStyle(one).overflow + getComputedStyle(one).overflowX)
    && (one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1);
  const seen = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled;
  window.controls = [...document.querySelectorAll("body *")].filter((one) =>
    seen(one) && (one.matches(wanted) || (scrolls(one) && !one.querySelector(wanted))));
  return window.controls.map((one) => one.outerHTML.slice(0, 120));
}
"""
_FOCUS = (
    "() => {"
    + _COLOURS
    + """
  const one = document.activeElement;
  const drawn = (style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  const [own, after] = [getComputedStyle(one), getComputedStyle(one, "::after")];
  const style = drawn(own) ? own : after;
  const inside = drawn(own) && parseFloat(own.outlineOffset) < 0;
  const box = one.getBoundingClientRect();
  const faults = [];
  if (!drawn(style)) faults.push("nothing shows where the focus is");
  else if (contrast(style.outlineColor, ground(inside ? one : one.parentElement)) < 3) faults.push("its mark is pale");
  if (box.bottom <= 0 || box.top >= innerHeight || box.right <= 0 || box.left >= innerWidth || !box.width)
    faults.push("it is outside of the window");
  return [window.controls.indexOf(one), faults.map((fault) => `${one.outerHTML.slice(0, 120)}: ${fault}`)];
}
"""
)
_WIDE = """
() => document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("body *")]
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest(".scroll, .command code"))
  .map((one) => one.outerHTML.slice(0, 120))
  .concat([`${document.documentElement.scrollWidth} > ${innerWidth}`])
"""


def poor_contrasts(page: Page) -> list[Any]:
    """Texts with less contrast than WCAG AA asks for (1.4.3): 4.5, or 3 where they are large."""
    return list(page.evaluate(_CONTRAST))


def too_wide(page: Page) -> list[Any]:
    """What makes the page scroll sideways; empty when it does not, once the charts have followed the window."""
    for _ in range(100):
        if not (found := list(page.evaluate(_WIDE))):
            break
        page.wait_for_timeout(100)
    return found


def controls(page: Page) -> list[str]:
    """Everything that a person acts on or scrolls, as it is seen now, from the first to the last."""
    return list(page.evaluate(_CONTROLS))


def focused(page: Page) -> tuple[int, list[str]]:
    """Which of `controls` has the focus, -1 for none of them, and what keeps a person from seeing it (WCAG 2.4.7).

    The line around it needs a contrast of 3 (1.4.11).
    """
    number, faults = page.evaluate(_FOCUS)
    return int(number), list(faults)
