# SPDX-License-Identifier: Apache-2.0
"""The documentation as a site: its links work, the search finds its pages, and recipes are readable."""

import html
import json
import os
import pathlib
import re
import tempfile
import unittest

from run_case import REPOSITORY
from support import CACHE, execute

PYTHON = CACHE / "site" / "bin" / "python"


@unittest.skipUnless(PYTHON.exists(), "the site's packages are not installed: run scripts/setup tests")
class SiteTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.site = pathlib.Path(folder.name) / "site"
        report = pathlib.Path(folder.name) / "reports" / "slow_udf"
        report.mkdir(parents=True)
        (report / "report.html").write_text("<!doctype html><title>a report</title>")
        (report / "picture.png").write_bytes(b"a picture")
        truth = pathlib.Path(folder.name) / "truth.md"
        truth.write_text("# A title\n\n| rule | promised |\n| --- | --- |\n| `skew` | 4.0 to 6.0 s |\n")
        execute(PYTHON, REPOSITORY / "website" / "build_site.py", cls.site, report.parent, truth)
        index = (cls.site / "search-index.js").read_text()
        cls.entries = json.loads(index[index.index("[") : index.rindex("]") + 1])
        cls.pages = {path.name: path.read_text() for path in cls.site.glob("*.html")}

    def problem_of(self, page, target):
        """Why a link of a page leads nowhere, or None."""
        if re.match(r"[a-z]+:", target):
            return None
        path, _, anchor = html.unescape(target).partition("#")
        if not (self.site / (path or page)).exists():
            return f"{page}: {target}: no such file"
        if anchor and f'id="{anchor}"' not in self.pages[path or page]:
            return f"{page}: {target}: no such heading"
        return None

    def test_make_site_builds_it(self):
        execute(REPOSITORY / "scripts" / "site", env=os.environ | {"REPORTS": ""})
        built = {path.name for path in (REPOSITORY / "build" / "site").iterdir()}
        self.assertLessEqual(set(self.pages) - {"job-slow_udf.html", "truth.html"}, built)

    def test_links_and_pictures_lead_somewhere(self):
        links = [(page, target) for page, text in self.pages.items() for target in re.findall(r'(?:href|src)="([^"]+)"', text)]
        self.assertGreater(len(links), 1000)
        self.assertEqual([problem for link in links if (problem := self.problem_of(*link))], [])

    def test_the_search_finds_each_page(self):
        self.assertEqual([problem for entry in self.entries if (problem := self.problem_of("search", entry["to"]))], [])
        found = {entry["to"].partition("#")[0] for entry in self.entries}
        self.assertEqual(set(self.pages) - found, {"job-slow_udf.html"})

    def test_each_example_has_a_recipe_with_a_short_title(self):
        recipes = {name: text for name, text in self.pages.items() if name.startswith("recipe-")}
        examples = {path.stem.replace("_", "-") for path in (REPOSITORY / "examples").glob("*.py")} - {"suite-job"}
        self.assertGreater(len(examples), 15)
        self.assertLessEqual({f"recipe-{name}.html" for name in examples}, set(recipes))
        for name, text in recipes.items():
            self.assertLess(len(re.search(r"<h1>(.*?)</h1>", text)[1]), 60, name)
            story = text[: text.index("<h2>Run it</h2>")]
            self.assertEqual(story.count("{@"), 0, f"{name}: Javadoc's markup")

    def test_a_recipe_shows_the_commands_and_the_job_without_its_comment(self):
        recipe = self.pages["recipe-wordstorm.html"]
        self.assertIn("jar cf build/examples/WordStorm.jar -C build/examples .\n", recipe)
        job = self.pages["recipe-slow-udf.html"].partition("<h2>The job</h2>")[2]
        self.assertTrue(job.startswith("<pre><code>import sys"), job[:80])

    def test_a_list_below_a_line_of_text_is_a_list(self):
        self.assertRegex(self.pages["changelog.html"], "<p>Profile a job</p>\n<ul>\n<li>")

    def test_pages_for_developers_come_last_in_the_search(self):
        minor = {entry["to"].partition("#")[0] for entry in self.entries if entry["minor"]}
        self.assertLess({"changelog.html", "hacking.html", "bench.html"}, minor)
        self.assertNotIn("findings.html", minor)

    def test_the_gallery_shows_the_reports(self):
        gallery = self.pages["gallery.html"]
        self.assertIn('<a class="card" href="job-slow_udf.html"><img src="job-slow_udf.png"', gallery)
        self.assertEqual((self.site / "job-slow_udf.png").read_bytes(), b"a picture")

    def test_the_measured_truth_has_a_page(self):
        self.assertIn("<td><code>skew</code></td>\n<td>4.0 to 6.0 s</td>", self.pages["truth.html"])
        self.assertIn('<a href="truth.html">A title</a>', self.pages["index.html"])

    def test_the_navigation_marks_the_current_page(self):
        self.assertEqual(re.findall(r'<a href="([^"]+)" aria-current="page">', self.pages["yarn.html"]), ["yarn.html"])
