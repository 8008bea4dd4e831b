"""Cache for parts of a page that are the same for all raters: questions take longer to render than all the rest."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from markupsafe import Markup

MAX_KEPT = 256


class KeptHtml:
    """For templates: `{% call kept(key) %}...{% endcall %}` renders its body once per key.

    The key must contain everything that the body depends on. If a part of it is None, the body is rendered each time.
    """

    def __init__(self, variant: Callable[[], Hashable]) -> None:
        """`variant` returns a part of every key, such as the language of the page."""
        self._variant = variant
        self._kept: dict[Hashable, Markup] = {}

    def __call__(self, *key: Hashable, caller: Callable[[], str]) -> Markup:
        """Return the rendered body of a call block."""
        if None in key:
            return Markup(caller())  # noqa: S704 - a template's own output, escaped there
        whole = (self._variant(), key)
        found = self._kept.get(whole)
        if found is None:
            found = Markup(caller())  # noqa: S704 - as above
            if len(self._kept) >= MAX_KEPT:
                self._kept.clear()
            self._kept[whole] = found
        return found
