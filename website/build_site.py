#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation as a site of plain files, which works from a folder and offline.

build_site.py FOLDER [REPORTS] writes a page for each Markdown file of the repository, a page for each example ("recipe") and an index for
the search. REPORTS has NAME/report.html for each example whose report is shown in the gallery.
"""

import ast
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys

import markdown

ROOT = pathlib.Path(__file__).resolve().parent.parent
HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = ("tests/", "web/", "fuzz/", "python/", "third_party/", "deploy/", "packaging/", "engines/", "settings/", "redaction/")
SECTIONS = re.compile(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def page_path(source):
    """docs/yarn.md → yarn.html, README.md → index.html, examples/README.md → examples.html."""
    if source == "README.md":
        return "index.html"
    if source == "docs/README.md":
        return "documentation.html"
    folder, _, name = source.rpartition("/")
    return f"{folder.replace('/', '-')}.html" if name == "README.md" else f"{name[:-3].lower()}.html"


def sources():
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    return [name for name in listed if not name.startswith(SKIPPED)]


def slug(heading, _):
    """GitHub's anchor of a heading, which links in the documents use."""
    return re.sub(r"[^\w -]", "", re.sub(r"<[^>]*>", "", heading)).strip().lower().replace(" ", "-")


class Site:
    def __init__(self, folder):
        self.folder = folder
        self.sources = sources()
        self.pages = {source: page_path(source) for source in self.sources}
        self.template = (HERE / "page.html").read_text()
        self.index = []
        self.files = set()

    def link(self, source, target):
        """Where a link of a document leads on the site: to a page, to a copied picture, or as it is."""
        if re.match(r"[a-z]+:|#", target):
            return target
        path, _, anchor = target.partition("#")
        name = str((ROOT / source).parent.joinpath(path).resolve().relative_to(ROOT))
        for candidate in (name, f"{name}/README.md"):
            if candidate in self.pages:
                return self.pages[candidate] + (f"#{anchor}" if anchor else "")
        if re.match(r"examples/.*\.(py|java)$", name):
            return recipe_path(name)
        if (ROOT / name).is_file():
            self.files.add(name)
            return f"files/{name}"
        # A folder of the repository.
        return "documentation.html"

    def convert(self, source, text):
        converter = markdown.Markdown(
            extensions=["tables", "fenced_code", "toc", "sane_lists"], extension_configs={"toc": {"slugify": slug}}
        )
        body = converter.convert(text)
        body = re.sub(
            r'(href|src)="([^"]+)"', lambda match: f'{match[1]}="{html.escape(self.link(source, html.unescape(match[2])))}"', body
        )
        return body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")

    def navigation(self, current):
        """The sections of docs/README.md with the pages that their tables link to."""
        parts = [("Start", [("sparkprof", "index.html"), ("All documents", "documentation.html")])]
        for title, text in SECTIONS.findall((ROOT / "docs" / "README.md").read_text()):
            entries = []
            for subject, links in re.findall(r"^\| ([^|]+) \| (.+) \|$", text, re.MULTILINE):
                found = re.search(r"\]\(([^)]+)\)", links)
                if found:
                    entries.append((subject, self.link("docs/README.md", found[1])))
            parts.append((title, entries))
        parts.append(("Recipes", [("Reports of known problems", "gallery.html")]))

        def entry(name, to):
            mark = ' aria-current="page"' if to == current else ""
            return f"<li><a href={json.dumps(to)}{mark}>{html.escape(name)}</a></li>"

        return "".join(
            f"<h2>{html.escape(title)}</h2><ul>{''.join(entry(name, to) for name, to in entries)}</ul>" for title, entries in parts
        )

    def write(self, path, title, body):
        text = self.template
        for key, value in {"TITLE": html.escape(title), "NAVIGATION": self.navigation(path), "BODY": body}.items():
            text = text.replace(f"@{key}@", value)
        (self.folder / path).write_text(text)
        # One entry for each heading, with the text below it.
        for part in re.split(r"(?=<h[1-3])", body):
            found = re.match(r'<h[1-3](?: id="([^"]*)")?[^>]*>(.*?)</h[1-3]>', part, re.DOTALL)
            plain = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", part))).strip()
            if plain:
                heading = html.unescape(re.sub(r"<[^>]*>", "", found[2])) if found else title
                self.index.append(
                    {"page": title, "heading": heading, "to": path + (f"#{found[1]}" if found and found[1] else ""), "text": plain}
                )

    def write_documents(self):
        for source, path in self.pages.items():
            text = (ROOT / source).read_text()
            heading = re.search(r"^# (.+)$", text, re.MULTILINE)
            self.write(path, heading[1] if heading else source, self.convert(source, text))
        for name in sorted(self.files):
            target = self.folder / "files" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target)

    def write_recipes(self, reports):
        rows, cards = [], []
        for name, problem in re.findall(r"^\| `([^`]+)` \| (.+) \|$", (ROOT / "examples" / "README.md").read_text(), re.MULTILINE):
            source = f"examples/{name}"
            code = (ROOT / source).read_text()
            path = recipe_path(source)
            title, story = title_and_story(code)
            key = pathlib.Path(name).stem
            report = reports / key / "report.html" if reports else None
            shown = ""
            if report and report.exists():
                shutil.copyfile(report, self.folder / f"job-{key}.html")
                shown = f'<p><a class="button" href="job-{key}.html">Open the report of this job</a></p>'
            command = (
                f"sparkprof run -- spark-submit --master 'local[2]' {source}"
                if name.endswith(".py")
                else "examples/README.md has the commands"
            )
            body = f"<h1>{html.escape(title)}</h1>{self.convert(source, story)}{shown}<h2>Run it</h2><pre><code>{html.escape(command)}</code></pre>"
            body += f"<h2>The job</h2><pre><code>{html.escape(code)}</code></pre>"
            self.write(path, title, body)
            link = f'<a href="job-{key}.html">report</a>' if shown else ""
            rows.append(f'<tr><td><a href="{path}">{html.escape(title)}</a></td><td>{html.escape(problem)}</td><td>{link}</td></tr>')
            picture = reports / key / "picture.png" if reports else None
            if picture and picture.exists():
                shutil.copyfile(picture, self.folder / f"job-{key}.png")
                cards.append(
                    f'<a class="card" href="job-{key}.html"><img src="job-{key}.png" alt="The report of {html.escape(title)}" '
                    f'width="1200" height="760"><b>{html.escape(title)}</b> {html.escape(problem)}</a>'
                )
        shown = f'<p>Open a report and try it: each is one file.</p><div class="cards">{"".join(cards)}</div>' if cards else ""
        table = f'<div class="wide"><table><tr><th>recipe</th><th>problem</th><th></th></tr>{"".join(rows)}</table></div>'
        self.write("gallery.html", "Reports of known problems", f"<h1>Reports of known problems</h1>{shown}<h2>Recipes</h2>{table}")

    def write_index(self):
        (self.folder / "search-index.js").write_text(
            f"const searchIndex = {json.dumps(self.index, ensure_ascii=False, separators=(',', ':'))};\n"
        )
        for name in ("style.css", "search.js"):
            shutil.copyfile(HERE / name, self.folder / name)


def recipe_path(source):
    return f"recipe-{pathlib.Path(source).stem.lower().replace('_', '-')}.html"


def story_of(code):
    """The comment at the top of an example, in Python or Java, as Markdown."""
    if "*/" in code and not code.startswith("#"):
        text = re.search(r"/\*\*?(.*?)\*/", code, re.DOTALL)[1]
        text = re.sub(r"^ *\* ?", "", text, flags=re.MULTILINE).strip()
        text = re.sub(r"\{@code\s+([^}]*)\}", r"`\1`", text.replace("<p>", ""))
    else:
        text = ast.get_docstring(ast.parse(code)) or ""
    text = re.sub(r"^(\w+\.py \[.*\])  +--fixed ", r"`\1`: `--fixed` ", text, flags=re.MULTILINE)
    # A list needs an empty line before it in this dialect.
    return re.sub(r"(?<=[^\n])\n- ", "\n\n- ", text, count=1)


def title_and_story(code):
    """The first sentence, or what stands before its colon if it is long, and the rest."""
    title, *rest = re.split(r"\.\s+", story_of(code), maxsplit=1)
    story = rest[0] if rest else ""
    if len(title) > 60 and ": " in title:
        title, _, sentence = title.partition(": ")
        story = f"{sentence[0].upper()}{sentence[1:]}.\n\n{story}"
    return title, story


def main():
    folder = pathlib.Path(sys.argv[1])
    reports = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    site = Site(folder)
    site.write_documents()
    site.write_recipes(reports)
    site.write_index()
    print(f"{len(list(folder.glob('*.html')))} pages in {folder}")


if __name__ == "__main__":
    main()
