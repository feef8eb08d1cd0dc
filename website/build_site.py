#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation as a site of plain files, which works from a folder and offline.

build_site.py FOLDER [REPORTS [TRUTH]] writes a page for each Markdown file of the repository, a page for each example ("recipe") and an
index for the search. REPORTS has NAME/report.html for each example whose report is shown in the gallery. TRUTH is the page that
bench/truth_table.py prints; without the file, the site has no such page.
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
SKIPPED = ("tests/", "web/", "fuzz/", "python/", "deploy/", "packaging/", "engines/", "settings/", "redaction/")
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


def title_of(text):
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    return found and found[1].replace("`", "")


def with_separate_lists(text):
    """Markdown in which lists start after an empty line, which the converter requires and GitHub does not."""
    lines, in_fence = [], False
    for line in text.split("\n"):
        before = lines[-1] if lines else ""
        if re.match(r"(- |\d+\. )\S", line) and before and not in_fence and not re.match(r"- |\d+\. |  ", before):
            lines.append("")
        in_fence ^= line.startswith("```")
        lines.append(line)
    return "\n".join(lines)


def slug(heading, _):
    """GitHub's anchor of a heading, which links in the documents use."""
    return re.sub(r"[^\w -]", "", re.sub(r"<[^>]*>", "", heading)).strip().lower().replace(" ", "-")


class Site:
    def __init__(self, folder, truth=None):
        self.folder = folder
        self.truth = truth.read_text() if truth and truth.exists() else ""
        self.sources = sources()
        self.pages = {source: page_path(source) for source in self.sources}
        self.titles = {path: title_of((ROOT / source).read_text()) or source for source, path in self.pages.items()}
        self.template = (HERE / "page.html").read_text()
        self.titles["gallery.html"] = "Recipes and their reports"
        self.titles["truth.html"] = title_of(self.truth)
        self.developers = dict(self.sections())["Project"]
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
        body = converter.convert(with_separate_lists(text))
        body = re.sub(
            r'(href|src)="([^"]+)"', lambda match: f'{match[1]}="{html.escape(self.link(source, html.unescape(match[2])))}"', body
        )
        return body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")

    def sections(self):
        """The sections of docs/README.md with the pages that their tables link to."""
        parts = [("Start", ["index.html", "gallery.html", *(["truth.html"] if self.truth else []), "documentation.html"])]
        for title, text in SECTIONS.findall((ROOT / "docs" / "README.md").read_text()):
            rows = "".join(line for line in text.splitlines() if line.startswith("|"))
            parts.append((title, [self.link("docs/README.md", target) for target in re.findall(r"\]\(([^)]+)\)", rows)]))
        return parts

    def navigation(self, current):
        def entry(to):
            mark = ' aria-current="page"' if to == current else ""
            return f"<li><a href={json.dumps(to)}{mark}>{html.escape(self.titles[to])}</a></li>"

        return "".join(f"<h2>{html.escape(title)}</h2><ul>{''.join(map(entry, pages))}</ul>" for title, pages in self.sections())

    def write(self, path, title, body):
        headings = re.findall(r'<h2 id="([^"]*)">(.*?)</h2>', body)
        contents = "".join(f'<li><a href="#{anchor}">{re.sub("<[^>]*>", "", name)}</a></li>' for anchor, name in headings)
        values = {
            "TITLE": html.escape(title),
            "NAVIGATION": self.navigation(path),
            "BODY": body,
            "CONTENTS": f"<h2>On this page</h2><ul>{contents}</ul>" if len(headings) > 1 else "",
        }
        text = self.template
        for key, value in values.items():
            text = text.replace(f"@{key}@", value)
        (self.folder / path).write_text(text)
        # One entry for each heading that has an anchor, with the text below it.
        is_for_developers = path in self.developers
        for part in re.split(r"(?=<h[1-3][^>]* id=)", body):
            found = re.match(r'<h[1-3] id="([^"]*)"[^>]*>(.*?)</h[1-3]>', part, re.DOTALL)
            plain = plain_text(part[found.end() :] if found else re.sub("^<h1>.*?</h1>", "", part))
            heading = plain_text(found[2]) if found else title
            if plain or found:
                to = path + (f"#{found[1]}" if found else "")
                self.index.append({"page": title, "heading": heading, "to": to, "text": plain, "minor": is_for_developers})

    def write_documents(self):
        for source, path in self.pages.items():
            text = (ROOT / source).read_text()
            self.write(path, self.titles[path], self.convert(source, text))
        for name in sorted(self.files):
            target = self.folder / "files" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target)

    def write_truth(self):
        if self.truth:
            self.write("truth.html", self.titles["truth.html"], self.convert("bench/README.md", self.truth))

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
            body = f"<h1>{html.escape(title)}</h1>{self.convert(source, story)}{shown}<h2>Run it</h2><pre><code>{html.escape(command_of(source))}</code></pre>"
            body += f"<h2>The job</h2><pre><code>{html.escape(without_story(code))}</code></pre>"
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
        title = self.titles["gallery.html"]
        self.write("gallery.html", title, f"<h1>{title}</h1>{shown}<h2>All recipes</h2>{table}")

    def write_index(self):
        (self.folder / "search-index.js").write_text(
            f"const searchIndex = {json.dumps(self.index, ensure_ascii=False, separators=(',', ':'))};\n"
        )
        for name in ("style.css", "search.js"):
            shutil.copyfile(HERE / name, self.folder / name)


def plain_text(markup):
    inline = re.sub(r"</?(?:a|b|code|em|strong)\b[^>]*>", "", markup)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", inline))).strip()


def recipe_path(source):
    return f"recipe-{pathlib.Path(source).stem.lower().replace('_', '-')}.html"


def story_of(code):
    """The comment at the top of an example, in Python or Java, as Markdown."""
    if "*/" in code and not code.startswith("#"):
        text = re.search(r"/\*\*?(.*?)\*/", code, re.DOTALL)[1]
        text = re.sub(r"^ *\* ?", "", text, flags=re.MULTILINE).strip()
        text = re.sub(r"\{@code\s+([^}]*)\}", r"`\1`", text.replace("<p>", ""))
        text = re.sub(r"Compile and run(: `[^`]*`| as WordStorm\.) ?", "", text)
    else:
        text = ast.get_docstring(ast.parse(code)) or ""
    return re.sub(r"^(\w+\.py \[.*\])  +--fixed ", r"`\1`: `--fixed` ", text, flags=re.MULTILINE)


def command_of(source):
    if source.endswith(".py"):
        return f"sparkprof run -- spark-submit --master 'local[2]' {source}"
    name = pathlib.Path(source).stem
    return f"""javac -cp "$SPARK_HOME/jars/*" -d build/examples {source}
jar cf build/examples/{name}.jar -C build/examples .
sparkprof run -- spark-submit --master 'local[2]' --class {name} build/examples/{name}.jar"""


def without_story(code):
    """An example without its license line and the comment at its top, which stand on its page as text."""
    comment = r"/\*\*?.*?\*/\s*" if "*/" in code and not code.startswith("#") else r'""".*?"""\s*'
    return re.sub(comment, "", re.sub(r"^\S+ SPDX[^\n]*\n+", "", code), count=1, flags=re.DOTALL)


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
    reports, truth = (pathlib.Path(sys.argv[at]) if len(sys.argv) > at else None for at in (2, 3))
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    site = Site(folder, truth)
    site.write_documents()
    site.write_truth()
    site.write_recipes(reports)
    site.write_index()
    print(f"{len(list(folder.glob('*.html')))} pages in {folder}")


if __name__ == "__main__":
    main()
