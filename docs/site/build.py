"""Builds the site of the documents into target/site/html, and sees that it is whole.

    python docs/site/build.py

Pages are put where they are in the repository, so that a link between them is the same on the site and in a checkout:
the Markdown files of docs/, those of the project beside it, and the examples with their sources. Notebooks are run, with
whatever psmp is installed, and shown with what their cells give; the documentation of the Rust crates is built beside them. Then
Zensical makes HTML of it, strictly, and every link of that is followed: files and anchors must be there, and no page may
fetch anything from another server.
"""

from __future__ import annotations

import base64
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbclient
import nbformat

import psmp

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "target" / "site"
PAGES, HTML = SITE / "pages", SITE / "html"
#: Beside docs/ these are pages of the site, or files that pages link to.
OTHERS = ("README.md", "ARCHITECTURE.md", "BENCHMARKS.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE-MIT", "LICENSE-APACHE")
EXAMPLES = ("examples/python", "examples/cpp", "crates/psmp/examples")
LANGUAGES = {".py": "python", ".rs": "rust", ".cpp": "cpp", ".hpp": "cpp", ".txt": "cmake", ".toml": "toml", ".urdf": "xml"}


def put(file: Path, text: str) -> None:
    """Puts a page where it is in the repository. Links to a notebook lead to its page."""
    place = PAGES / file.relative_to(ROOT)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text.replace(".ipynb)", ".md)"))


def gather() -> None:
    """Puts all pages together."""
    tools = shutil.ignore_patterns("*.py", "*.toml", "*.ipynb", "__pycache__")
    shutil.copytree(ROOT / "docs", PAGES / "docs", ignore=tools)
    for name in OTHERS:
        shutil.copy(ROOT / name, PAGES / name)
    for folder in EXAMPLES:
        shutil.copytree(ROOT / folder, PAGES / folder, ignore=shutil.ignore_patterns("__pycache__"))
        put(ROOT / folder / "README.md", with_sources(ROOT / folder))
    for page in (ROOT / "docs").rglob("*.md"):
        put(page, page.read_text())
    for notebook in (ROOT / "docs").rglob("*.ipynb"):
        put(notebook.with_suffix(".md"), shown(notebook))
    rust = ROOT / "docs" / "rust.md"
    put(rust, rust.read_text() + "\n[The documentation of all crates](../rust/psmp/index.html) was built with this site.\n")


def with_sources(folder: Path) -> str:
    """The page of a folder of examples, and each of its files."""
    page = (folder / "README.md").read_text()
    parts = [page]
    for file in sorted(folder.iterdir()):
        if file.suffix in LANGUAGES:
            if f"]({file.name})" not in page:
                raise SystemExit(f"{folder}/README.md says nothing of {file.name}: name it there, with a link to it")
            parts.append(f"## {file.name}\n\n````{LANGUAGES[file.suffix]}\n{file.read_text()}````\n")
    return "\n".join(parts)


def shown(file: Path) -> str:
    """A notebook as a page, once it has been run. An error in a cell is an error here."""
    notebook = nbformat.read(file, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        sharp = ["--InlineBackend.figure_formats={'retina'}"]
        where = {"metadata": {"path": folder}}
        nbclient.NotebookClient(notebook, timeout=120, resources=where, extra_arguments=sharp).execute()
    parts = []
    pictures = 0
    for cell in notebook.cells:
        if cell.cell_type != "code":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        for output in cell.outputs:
            data = output.get("data", {})
            if "text/html" in data:
                # A blank line would end the HTML.
                inner = re.sub(r"\n\s*\n", "\n", data["text/html"])
                parts.append(f'<div class="output">{inner}</div>')
            elif "image/png" in data:
                pictures += 1
                picture = PAGES / file.relative_to(ROOT).with_suffix("") / f"{pictures}.png"
                picture.parent.mkdir(exist_ok=True)
                picture.write_bytes(base64.b64decode(data["image/png"]))
                width = output.metadata["image/png"]["width"]
                alt = cell.metadata.get("alt")
                if alt is None:
                    raise SystemExit(f"{file}: a cell that draws needs `alt` in its metadata, which says what is seen:\n{cell.source}")
                parts.append(f"![{alt}]({file.stem}/{picture.name}){{ width={width} }}")
            else:
                parts.append(f"```text\n{output.get('text') or data['text/plain']}\n```")
    return "\n\n".join(parts) + "\n"


def build() -> None:
    """Makes HTML of the pages, and the documentation of the Rust crates beside it."""
    shutil.copy(ROOT / "docs" / "site" / "zensical.toml", SITE)
    zensical = Path(sys.executable).with_name("zensical")
    config = SITE / "zensical.toml"
    subprocess.run([zensical, "build", "--clean", "--strict", "--config-file", config], cwd=ROOT, check=True)
    # As the tests do it, so that they share what is built.
    strictly = {**os.environ, "RUSTDOCFLAGS": "-D warnings"}
    cargo = ["cargo", "doc", "--workspace", "--locked", "--no-deps", "--quiet"]
    subprocess.run(cargo, cwd=ROOT, env=strictly, check=True)
    target = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
    shutil.copytree(target / "doc", HTML / "rust", ignore=shutil.ignore_patterns(".lock"))


class Page(HTMLParser):
    """What a page links to, what it fetches, and which places it has."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.places: set[str] = set()
        self.feed(file.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.places |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag == "link" and given.get("rel") not in ("canonical", "prev", "next"):
            self.fetched.append(given["href"])
        elif "src" in given:
            self.fetched.append(given["src"])


def faults() -> Iterator[str]:
    """What is wrong with the site."""
    # What rustdoc has written, its own lints have followed.
    ours = [file for file in HTML.rglob("*.html") if HTML / "rust" not in file.parents]
    pages = {file: Page(file) for file in ours}
    start = HTML / "index.html"
    from_start = {start, HTML / "404.html"}
    for file, page in pages.items():
        here = file.relative_to(HTML)
        for link in [*page.links, *page.fetched]:
            to = urlsplit(link)
            if to.scheme or to.netloc:
                if link in page.fetched and to.scheme != "data":
                    yield f"{here} fetches {link}"
                continue
            if not to.path:
                goal = file
            else:
                goal = HTML / to.path.lstrip("/") if to.path.startswith("/") else file.parent / unquote(to.path)
                goal = Path(os.path.normpath(goal))
            if goal.is_dir():
                goal /= "index.html"
            if file == start:
                from_start.add(goal)
            if not goal.is_file():
                yield f"{here} leads to {link}, which is not there"
            elif to.fragment and goal in pages and unquote(to.fragment) not in pages[goal].places:
                yield f"{here} leads to {link}, and there is no such place on that page"
    for file in pages.keys() - from_start:
        yield f"{file.relative_to(HTML)} is a page that `nav` in docs/site/zensical.toml does not have"
    for sheet in HTML.rglob("*.css"):
        for url in re.findall(r"(?:url\(|@import)\s*['\"]?(?:https?:)?//[^)'\"]+", sheet.read_text()):
            yield f"{sheet.relative_to(HTML)} fetches {url}"
    places = set().union(*(page.places for page in pages.values()))
    for name in psmp.__all__:
        if not name.startswith("__") and f"psmp.{name}" not in places:
            yield f"psmp.{name} is public, and on no page of docs/api"


def main() -> None:
    shutil.rmtree(SITE, ignore_errors=True)
    gather()
    build()
    found = list(faults())
    if found:
        raise SystemExit("\n".join(found))
    print(f"{sum(1 for _ in PAGES.rglob('*.md'))} pages, all links lead somewhere: {HTML / 'index.html'}")


if __name__ == "__main__":
    main()
