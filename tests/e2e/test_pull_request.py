# SPDX-License-Identifier: Apache-2.0
"""deploy/pull_request compares a suite at two commits and comments, without GitHub or GitLab: a repository, an event and an API made here."""

import json
import os
import re
import shutil
import sys

from http_stub import answering
from support import OLD_RECORDING, REPOSITORY, SPARKPROF, TestCase, execute

FOLDER = REPOSITORY / "deploy" / "pull_request"
SUITE = """\
suite: example
version: "1"
interval: 100ms
jobs:
  - name: wait
    command: [sleep, "{seconds}"]
    repeats: 4
"""


class PullRequestTest(TestCase):
    def setUp(self):
        super().setUp()
        self.repository = self.folder / "repository"
        self.repository.mkdir()
        self.git("init", "--quiet")
        self.comments, self.refuses = [{"id": 1, "body": "looks good", "path": ""}], False
        self.api = self.enter(answering(self.answer))

    def answer(self, request, body):
        """Comments of one request, by the paths of GitHub and GitLab."""
        if request.command == "GET":
            return 200, json.dumps(self.comments), {}
        if request.command != "POST":  # replaces one
            self.comments[int(request.path.rsplit("/", 1)[1]) - 1].update(json.loads(body))
            return 200, "{}", {}
        if self.refuses:
            return 403, json.dumps({"message": "Resource not accessible by integration"}), {}
        self.comments.append({"id": len(self.comments) + 1, "path": request.path, **json.loads(body)})
        return 201, "{}", {}

    def git(self, *arguments):
        identity = ("-c", "user.name=a", "-c", "user.email=a@b")
        return execute("git", *identity, *arguments, cwd=self.repository).stdout.strip()

    def commit(self, seconds):
        (self.repository / "suite.yaml").write_text(SUITE.replace("{seconds}", seconds))
        self.git("add", ".")
        self.git("commit", "--quiet", "--allow-empty", "-m", seconds)
        return self.git("rev-parse", "HEAD")

    def run_script(self, name, code=0, **environment):
        inherited = {key: value for key, value in os.environ.items() if not key.startswith(("GITHUB_", "CI_", "SPARKPROF_"))}
        environment = inherited | {"SPARKPROF_BIN": SPARKPROF} | environment
        command = [sys.executable, FOLDER / "pull_request.py", "suite.yaml", "--output-dir", self.folder / name]
        return execute(*command, code=code, cwd=self.repository, env=environment)

    def on_github(self, name, base, head, code=0):
        event = self.folder / "event.json"
        request = {"number": 12, "base": {"sha": base}, "head": {"sha": head}}
        event.write_text(json.dumps({"pull_request": request, "repository": {"full_name": "owner/jobs"}}))
        return self.run_script(
            name,
            code,
            GITHUB_EVENT_PATH=str(event),
            GITHUB_API_URL=self.api,
            GITHUB_TOKEN="none",
            GITHUB_STEP_SUMMARY=str(self.folder / "summary.md"),
        )

    def test_a_regression_is_commented_and_fails_and_its_fix_replaces_the_comment(self):
        base, slow = self.commit("0.1"), self.commit("0.8")
        self.on_github("slow", base, slow, code=1)
        [_, comment] = self.comments
        self.assertEqual(comment["path"], "/repos/owner/jobs/issues/12/comments")
        self.assertIn("### sparkprof: regression", comment["body"])
        self.assertRegex(comment["body"], r"\| wait \| seconds \| .*\(\+\d+\.\d%\) \| 0\.0\d+ \| worse \|")
        self.assertIn("worse", (self.folder / "summary.md").read_text())
        self.assertEqual(self.git("worktree", "list").count("\n"), 0)

        self.on_github("fixed", base, base)
        [_, comment] = self.comments
        self.assertIn("### sparkprof: no regression", comment["body"])

    def test_a_comment_that_is_not_allowed_is_no_failure(self):
        base = self.commit("0.1")
        self.refuses = True
        result = self.on_github("fork", base, base)
        self.assertIn("no comment: HTTP Error 403", result.stderr)
        self.assertTrue((self.folder / "fork" / "comment.md").exists())

    def test_gitlab_gets_a_note(self):
        base = self.commit("0.1")
        request = {"CI_MERGE_REQUEST_IID": "3", "CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "CI_COMMIT_SHA": base}
        self.run_script("gitlab", CI_PROJECT_ID="77", CI_API_V4_URL=self.api, **request)
        self.assertEqual(self.comments[-1]["path"], "/projects/77/merge_requests/3/notes")

    def test_a_profiled_job_has_its_causes_and_a_flame_graph(self):
        for side in ("base", "head"):
            repeat = self.folder / side / "wait" / "1"
            (repeat / "profile").mkdir(parents=True)
            shutil.copy(OLD_RECORDING, repeat / "profile" / "recording.sprof")
            # The readings of the monitor are not an application.
            (repeat / "processes.sprof").write_bytes(b"")
        script = "import pathlib, pull_request as p; print(p.describe_profiles(pathlib.Path.cwd(), p.Host('base', 'head')))"
        environment = os.environ | {"SPARKPROF_BIN": SPARKPROF, "PYTHONPATH": str(FOLDER)}
        described = execute(sys.executable, "-c", script, cwd=self.folder, env=environment).stdout
        self.assertIn("<details><summary><code>wait</code></summary>", described)
        self.assertIn("Differential flame graph: `wait.svg`", described)
        self.assertIn("<svg", (self.folder / "wait.svg").read_text())

    def test_a_suite_that_cannot_run_is_another_exit_code(self):
        base = self.commit("0.1")
        (self.repository / "suite.yaml").write_text("jobs: 7\n")
        self.git("commit", "--quiet", "-a", "-m", "broken")
        result = self.on_github("broken", base, self.git("rev-parse", "HEAD"), code=2)
        self.assertIn("the suite did not run", result.stderr)

    def test_actions_of_others_are_pinned(self):
        used = re.findall(r"uses: (\S+)", (FOLDER / "action.yml").read_text())
        self.assertTrue(used)
        for one in used:
            self.assertRegex(one, r"^[\w-]+/[\w-]+@[0-9a-f]{40}$")
