# SPDX-License-Identifier: Apache-2.0
"""The site of `make site`: its links, its recipes, and the index of its search."""

import html
import json
import os
import re

from support import REPOSITORY, TestCase, execute


class SiteTest(TestCase):
    def test_every_link_leads_to_a_page_and_a_heading_and_the_index_to_every_page(self):
        execute(REPOSITORY / "scripts" / "site", env=os.environ | {"REPORTS": ""})
        site = REPOSITORY / "build" / "site"
        pages = {path.name: path.read_text() for path in site.glob("*.html") if not path.name.startswith("job-")}
        self.assertGreater(len(pages), 40)
        for name, text in pages.items():
            for target in re.findall(r'(?:href|src)="([^"]+)"', re.sub(r"<pre>.*?</pre>", "", text, flags=re.DOTALL)):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, anchor = html.unescape(target).partition("#")
                with self.subTest(page=name, target=target):
                    self.assertTrue((site / (path or name)).is_file())
                    if anchor:
                        self.assertIn(f'id="{anchor}"', pages[path or name])
        index = json.loads((site / "search-index.js").read_text().partition("=")[2].rstrip(";\n"))
        self.assertEqual({entry["to"].partition("#")[0] for entry in index}, set(pages))
        for example in (REPOSITORY / "examples").glob("*.py"):
            if example.stem != "suite_job":
                self.assertIn(f"recipe-{example.stem.replace('_', '-')}.html", pages)
