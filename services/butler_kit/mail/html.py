"""The visible text of an HTML mail: no scripts, no styles, nothing that is hidden. Pure.

Invariant: input is bounded, a cut is marked, and no markup raises.
"""

from __future__ import annotations

import re
from typing import Any, Final

from inscriptis.css_profiles import CSS_PROFILES
from inscriptis.html_engine import Inscriptis
from inscriptis.model.config import ParserConfig
from lxml import etree
from lxml.html import HTMLParser, document_fromstring

from butler_kit.sources.bounds import CUT_MARK

__all__ = ["HTML_MAX_CHARS", "lean", "text_of_html"]

HTML_MAX_CHARS: Final = 400_000
"""The limit after pictures, styles and comments are removed: several times the text that is kept."""
_DEPTH_MAX: Final = 150
"""The nesting depth that is laid out; the layout engine recurses for each level."""
_CONFIG: Final = ParserConfig(css=CSS_PROFILES["strict"])
_DROPPED: Final = (
    "script",
    "style",
    "head",
    "template",
    "noscript",
    "object",
    "embed",
    "svg",
    "iframe",
    "title",
)
_HIDDEN: Final = re.compile(
    r"display:none|visibility:hidden|mso-hide:all|opacity:0(?:\.0+)?(?:;|!|$)"
    r"|(?:font-size|max-height|max-width|line-height):0(?:\.0+)?(?:px|pt|em|rem|%)?(?:;|!|$)"
)
_TAG: Final = re.compile(r"<[^<>]{0,2000}>")
_DROPPED_WHOLE: Final = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_BULK: Final = re.compile(
    rb"<!--.*?(?:-->|\Z)|<(?P<tag>script|style)\b.*?(?:</(?P=tag)\s*>|\Z)", re.IGNORECASE | re.DOTALL
)
_DATA: Final = re.compile(rb"data:[^\"'\s<>)]{64,}", re.IGNORECASE)
_ANY_TAG: Final = re.compile(r"<[a-z][^<>]*>", re.IGNORECASE)
_UNSEEN_ATTRIBUTE: Final = re.compile(
    r"\s(?:class|id|name|width|height|align|valign|bgcolor|border|cell\w+|href|src|srcset|alt|title|target|rel|data-[\w-]+)"
    r"=(?:\"[^\"]*\"|'[^']*')",
    re.IGNORECASE,
)
_BLANK_LINES: Final = re.compile(r"\n{3,}")


def lean(content: bytes) -> bytes:
    """Return a large HTML body without what nobody reads: embedded pictures, styles, scripts, comments."""
    if len(content) <= HTML_MAX_CHARS:
        return content
    return _DATA.sub(b"data:,", _BULK.sub(b"", content))


def text_of_html(markup: str) -> str:
    """Return the visible text; of too much markup the first part, with a mark at its end."""
    if len(markup) > HTML_MAX_CHARS:
        markup = _ANY_TAG.sub(lambda tag: _UNSEEN_ATTRIBUTE.sub("", tag[0]), markup)
    text = _text_of(markup[:HTML_MAX_CHARS])
    return text + CUT_MARK if len(markup) > HTML_MAX_CHARS else text


def _text_of(bounded: str) -> str:
    try:
        text = _laid_out(bounded)
    except (
        etree.LxmlError,
        ValueError,
        RecursionError,
        AssertionError,
        LookupError,
        TypeError,
        AttributeError,
    ):
        text = _TAG.sub(" ", _DROPPED_WHOLE.sub(" ", bounded))
    lines = (line.strip() for line in text.replace("\xa0", " ").split("\n"))
    return _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip()


def _laid_out(markup: str) -> str:
    if not markup.strip():
        return ""
    content = markup.replace("\x00", "").encode("utf-8", "replace")
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True)
    document = document_fromstring(content, parser=parser)
    if any("depth" in entry.message for entry in parser.error_log):
        raise ValueError("the parser gave up the innermost elements")
    _drop_unseen(document)
    if _is_deep(document):
        return "\n".join(str(piece) for piece in document.itertext())
    text: str = Inscriptis(document, _CONFIG).get_text()
    return text


def _drop_unseen(document: Any) -> None:
    """Remove what is not shown, keeping the text that follows it."""
    unseen = [element for element in document.iter(etree.Element) if _is_unseen(element)]
    for element in unseen:
        if element.getparent() is not None:
            element.drop_tree()


def _is_unseen(element: Any) -> bool:
    if element.tag in _DROPPED or element.get("hidden") is not None:
        return True
    style = element.get("style")
    return bool(style) and _HIDDEN.search("".join(style[:2_000].lower().split())) is not None


def _is_deep(document: Any) -> bool:
    depth = 0
    for event, _ in etree.iterwalk(document, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > _DEPTH_MAX:
            return True
    return False
