"""What models and people may write: Markdown whole and broken, for properties."""

from __future__ import annotations

from hypothesis import strategies as st

__all__ = ["ADDRESS", "MARKDOWN"]

ADDRESS = "https://example.org/q"
_PIECES = (
    *("*", "**", "_", "__", "`", "``", "```", "~~", "~~~", "[", "]", "(", ")", f"]({ADDRESS})", "![", "\\"),
    *(
        "\n",
        "\n\n",
        " ",
        "  ",
        "    ",
        "\t",
        "\r",
        "\u2028",
        "- ",
        "1. ",
        "> ",
        "# ",
        "+ ",
        "---",
        "|",
        "<",
        ">",
    ),
    *(
        "a",
        "b2",
        "é",
        "e\u0301",
        "重",
        "😀",
        "👨\u200d👩\u200d👧",
        "🇩🇪",
        "שלום",
        "&amp;",
        "_x_",
        "https://x.org/_y_",
        "http://",
    ),
    *(".", "!", ":", "“", "”", '"', "'"),
)

MARKDOWN = st.lists(st.sampled_from(_PIECES), max_size=40).map("".join) | st.text(max_size=80)
