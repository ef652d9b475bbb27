"""Docstrings as Markdown: roles become links, literal blocks and examples code.

``help()`` shows docstrings as they are, so they are marked up as is usual in Python: :func:`plan`, ``start``, two colons before
a block, ``>>>`` before an example. Of these Markdown knows ``start`` alone. And a class is called as its ``__new__`` is.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

ROLE = re.compile(r":(?:func|class|meth|mod|attr):`([^`]+)`")
EXAMPLE = re.compile(r"(?m)^>>> .*(?:\n.+)*")


def target(name: str, inside: griffe.Object) -> str:
    """The full name of what a role means: a member of the class that it stands in, or something of psmp."""
    if name.startswith("psmp."):
        return name
    owner = inside if inside.is_class else inside.parent
    if owner is not None and owner.is_class and "." not in name and name in owner.all_members:
        return f"psmp.{owner.name}.{name}"
    return f"psmp.{name}"


def markdown(text: str, inside: griffe.Object) -> str:
    """A docstring as Markdown."""
    text = EXAMPLE.sub(lambda example: f"```pycon\n{example[0]}\n```", text)
    text = ROLE.sub(lambda role: f"[`{role[1]}`][{target(role[1], inside)}]", text)
    text = re.sub(r"(?m) ::$", "", text)
    return re.sub(r"(?m)::$", ":", text)


class Markdown(griffe.Extension):
    """Called by griffe with everything that it has read."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = markdown(obj.docstring.value, obj)

    def on_class(self, *, cls: griffe.Class, **_: Any) -> None:
        made = cls.members.get("__new__")
        if isinstance(made, griffe.Function) and "__init__" not in cls.members:
            cls.set_member("__init__", griffe.Function("__init__", parameters=made.parameters))
