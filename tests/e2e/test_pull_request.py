# SPDX-License-Identifier: Apache-2.0
"""deploy/pull_request compares a suite at two commits and comments, without GitHub or GitLab: a repository, an event and an API made here."""

import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

import support

FOLDER = support.REPOSITORY / "deploy" / "pull_request"
SUITE = """\
suite: example
version: "1"
interval: 100ms
jobs:
  - name: wait
    command: [sleep, "{seconds}"]
    repeats: 4
"""


class ApiHandler(http.server.BaseHTTPRequestHandler):
    """Comments of one request, by the paths of GitHub and GitLab."""

    comments, refuses = [], False

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def body(self):
        return self.rfile.read(int(self.headers["Content-Length"]))

    def do_GET(self):
        self.answer(200, self.comments)

    def do_POST(self):
        body = self.body()
        if self.refuses:
            return self.answer(403, {"message": "Resource not accessible by integration"})
        self.comments.append({"id": len(self.comments) + 1, "path": self.path, **json.loads(body)})
        return self.answer(201, {})

    def replace(self):
        number = int(self.path.rsplit("/", 1)[1])
        self.comments[number - 1].update(json.loads(self.body()))
        self.answer(200, {})

    do_PATCH = do_PUT = replace

    def log_message(self, *_):
        pass


class PullRequestTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.repository = self.folder / "repository"
        self.repository.mkdir()
        self.git("init", "--quiet")
        self.handler = type("Handler", (ApiHandler,), {"comments": [{"id": 1, "body": "looks good", "path": ""}]})
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        self.api = f"http://127.0.0.1:{server.server_port}"

    def git(self, *arguments):
        identity = ("-c", "user.name=a", "-c", "user.email=a@b")
        return subprocess.run(
            ["git", *identity, *arguments], cwd=self.repository, check=True, capture_output=True, text=True
        ).stdout.strip()

    def commit(self, seconds):
        (self.repository / "suite.yaml").write_text(SUITE.replace("{seconds}", seconds))
        self.git("add", ".")
        self.git("commit", "--quiet", "--allow-empty", "-m", seconds)
        return self.git("rev-parse", "HEAD")

    def run_script(self, name, **environment):
        inherited = {key: value for key, value in os.environ.items() if not key.startswith(("GITHUB_", "CI_", "SPARKPROF_"))}
        return subprocess.run(
            [sys.executable, FOLDER / "pull_request.py", "suite.yaml", "--output-dir", self.folder / name],
            cwd=self.repository,
            env={**inherited, "SPARKPROF_BIN": support.SPARKPROF, **environment},
            capture_output=True,
            text=True,
            timeout=support.DEADLINE,
        )

    def on_github(self, name, base, head):
        event = self.folder / "event.json"
        request = {"number": 12, "base": {"sha": base}, "head": {"sha": head}}
        event.write_text(json.dumps({"pull_request": request, "repository": {"full_name": "owner/jobs"}}))
        return self.run_script(
            name,
            GITHUB_EVENT_PATH=str(event),
            GITHUB_API_URL=self.api,
            GITHUB_TOKEN="none",
            GITHUB_STEP_SUMMARY=str(self.folder / "summary.md"),
        )

    def test_a_regression_is_commented_and_fails_and_its_fix_replaces_the_comment(self):
        base, slow = self.commit("0.1"), self.commit("0.8")
        result = self.on_github("slow", base, slow)
        self.assertEqual(result.returncode, 1, result.stderr)
        [_, comment] = self.handler.comments
        self.assertEqual(comment["path"], "/repos/owner/jobs/issues/12/comments")
        self.assertIn("### sparkprof: regression", comment["body"])
        self.assertRegex(comment["body"], r"\| wait \| seconds \| .*\(\+\d+\.\d%\) \| 0\.0\d+ \| worse \|")
        self.assertIn("worse", (self.folder / "summary.md").read_text())
        self.assertEqual(self.git("worktree", "list").count("\n"), 0)

        result = self.on_github("fixed", base, base)
        self.assertEqual(result.returncode, 0, result.stderr)
        [_, comment] = self.handler.comments
        self.assertIn("### sparkprof: no regression", comment["body"])

    def test_a_comment_that_is_not_allowed_is_no_failure(self):
        base = self.commit("0.1")
        self.handler.refuses = True
        result = self.on_github("fork", base, base)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("no comment: HTTP Error 403", result.stderr)
        self.assertTrue((self.folder / "fork" / "comment.md").exists())

    def test_gitlab_gets_a_note(self):
        base = self.commit("0.1")
        result = self.run_script(
            "gitlab",
            CI_MERGE_REQUEST_IID="3",
            CI_MERGE_REQUEST_DIFF_BASE_SHA=base,
            CI_COMMIT_SHA=base,
            CI_PROJECT_ID="77",
            CI_API_V4_URL=self.api,
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.handler.comments[-1]["path"], "/projects/77/merge_requests/3/notes")

    def test_a_profiled_job_has_its_causes_and_a_flame_graph(self):
        recordings = support.REPOSITORY / "tests" / "cases" / "recordings"
        for side in ("base", "head"):
            repeat = self.folder / side / "wait" / "1"
            (repeat / "profile").mkdir(parents=True)
            shutil.copy(recordings / "0.1.sprof", repeat / "profile" / "recording.sprof")
            # The readings of the monitor are not an application.
            (repeat / "processes.sprof").write_bytes(b"")
        script = "import pathlib, pull_request as p; print(p.describe_profiles(pathlib.Path.cwd(), p.Host('base', 'head')))"
        described = subprocess.run(
            [sys.executable, "-c", script],
            cwd=self.folder,
            env={**os.environ, "SPARKPROF_BIN": support.SPARKPROF, "PYTHONPATH": str(FOLDER)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        self.assertIn("<details><summary><code>wait</code></summary>", described)
        self.assertIn("Differential flame graph: `wait.svg`", described)
        self.assertIn("<svg", (self.folder / "wait.svg").read_text())

    def test_a_suite_that_cannot_run_is_another_exit_code(self):
        base = self.commit("0.1")
        (self.repository / "suite.yaml").write_text("jobs: 7\n")
        self.git("commit", "--quiet", "-a", "-m", "broken")
        result = self.on_github("broken", base, self.git("rev-parse", "HEAD"))
        self.assertEqual(result.returncode, 2)
        self.assertIn("the suite did not run", result.stderr)

    def test_actions_of_others_are_pinned(self):
        used = re.findall(r"uses: (\S+)", (FOLDER / "action.yml").read_text())
        self.assertTrue(used)
        for one in used:
            self.assertRegex(one, r"^[\w-]+/[\w-]+@[0-9a-f]{40}$")


if __name__ == "__main__":
    unittest.main()
