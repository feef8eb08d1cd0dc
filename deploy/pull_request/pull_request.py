#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a suite at the base and the head of a pull or merge request, compares the results, and comments:

    pull_request.py SUITE [--output-dir DIR] [--significance LEVEL] [--no-comment]

SUITE is the suite's YAML file, relative to the repository in the current folder. Base, head and the place of the comment come
from the environment of GitHub Actions (GITHUB_EVENT_PATH, GITHUB_TOKEN) or GitLab CI (CI_MERGE_REQUEST_…, SPARKPROF_GITLAB_TOKEN).
Each side runs in a worktree of its own, base first, on this machine. The comment has the table with significance, and for each
profiled job the causes of the change and a differential flame graph. A later run replaces the comment of an earlier one.

DIR has base/ and head/ (the suites' results), comment.md and the flame graphs. Exits with code 1 for a regression or a failed
job, and with 2 if the suites could not be run. A comment that is not allowed, as in a pull request from a fork, is no failure."""

import argparse
import html
import json
import os
import pathlib
import subprocess
import sys
import urllib.error
import urllib.request

SPARKPROF = os.environ.get("SPARKPROF_BIN", "sparkprof")
MARK = "<!-- sparkprof suite -->"  # by which a later run finds its comment
MOST_CHARACTERS = 60_000  # GitHub allows 65,536
MOST_GRAPHS = 5
TIMEOUT = 60  # seconds, of one request


class Host:
    """Where the request is reviewed: its two commits, and its comments."""

    def __init__(self, base, head):
        self.base, self.head = base, head

    def upload(self, _path):
        """Markdown that shows the file; empty where the host has no place for it."""
        return ""

    def comment(self, _text):
        """Creates the comment, or replaces the earlier one."""


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect is an error: urllib would send the token to wherever it points."""

    def redirect_request(self, *_):
        return None


class Api:
    """JSON over HTTP with a header that authorizes."""

    def __init__(self, url, authorization):
        self.url, self.authorization = url.rstrip("/"), authorization
        self.opener = urllib.request.build_opener(NoRedirect)

    def send(self, method, path, body=None, content_type="application/json"):
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        headers = {**self.authorization, "Content-Type": content_type, "Accept": "application/json", "User-Agent": "sparkprof"}
        request = urllib.request.Request(self.url + path, data=data, method=method, headers=headers)
        with self.opener.open(request, timeout=TIMEOUT) as answer:
            return json.loads(answer.read() or b"null")

    def replace_comment(self, listed, text_member, create, update, text):
        """`update` has the method, and the path with a place for the comment's ID."""
        for page in range(1, 11):
            comments = self.send("GET", f"{listed}?per_page=100&page={page}")
            for comment in comments:
                if comment[text_member].startswith(MARK):
                    method, path = update
                    self.send(method, path.format(comment["id"]), {"body": text})
                    return
            if len(comments) < 100:
                break
        self.send("POST", create, {"body": text})


class GitHub(Host):
    def __init__(self, environment):
        event = json.loads(pathlib.Path(environment["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
        request = event["pull_request"]
        super().__init__(request["base"]["sha"], request["head"]["sha"])
        self.repository, self.number = event["repository"]["full_name"], request["number"]
        self.summary = environment.get("GITHUB_STEP_SUMMARY")
        token = environment.get("GITHUB_TOKEN", "")
        self.api = Api(environment.get("GITHUB_API_URL", "https://api.github.com"), {"Authorization": f"Bearer {token}"})

    def comment(self, text):
        if self.summary:
            with open(self.summary, "a", encoding="utf-8") as file:
                file.write(text)
        comments = f"/repos/{self.repository}/issues/{self.number}/comments"
        self.api.replace_comment(comments, "body", comments, ("PATCH", f"/repos/{self.repository}/issues/comments/{{}}"), text)


class GitLab(Host):
    def __init__(self, environment):
        super().__init__(environment["CI_MERGE_REQUEST_DIFF_BASE_SHA"], environment["CI_COMMIT_SHA"])
        self.project = f"/projects/{environment['CI_PROJECT_ID']}"
        self.number = environment["CI_MERGE_REQUEST_IID"]
        self.api = Api(environment["CI_API_V4_URL"], {"PRIVATE-TOKEN": environment.get("SPARKPROF_GITLAB_TOKEN", "")})

    def upload(self, path):
        boundary = "sparkprof-" + os.urandom(16).hex()
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{path.name}"\r\nContent-Type: image/svg+xml\r\n\r\n'
        body = head.encode() + path.read_bytes() + f"\r\n--{boundary}--\r\n".encode()
        return self.api.send("POST", f"{self.project}/uploads", body, f"multipart/form-data; boundary={boundary}")["markdown"]

    def comment(self, text):
        notes = f"{self.project}/merge_requests/{self.number}/notes"
        self.api.replace_comment(notes, "body", notes, ("PUT", notes + "/{}"), text)


def host_of(environment):
    if "GITHUB_EVENT_PATH" in environment:
        return GitHub(environment)
    if "CI_MERGE_REQUEST_IID" in environment:
        return GitLab(environment)
    raise SystemExit("pull_request.py: neither a pull request of GitHub Actions nor a merge request of GitLab CI")


def sparkprof(*arguments):
    return subprocess.run([SPARKPROF, *map(str, arguments)], check=False, text=True, capture_output=True)


def run_suite(commit, suite, folder):
    """Runs the suite in a worktree of the commit, which is removed again. Its results are in `folder`."""
    checkout = folder.with_name(folder.name + "-checkout")
    subprocess.run(["git", "worktree", "add", "--quiet", "--detach", checkout, commit], check=True)
    try:
        print(f"running {suite} at {commit[:12]}", flush=True)
        # Exit code 1 is a failed job, which the comparison reports.
        code = subprocess.run([SPARKPROF, "suite", "run", checkout / suite, "--output-dir", folder], check=False).returncode
        if code > 1 or not (folder / "summary.json").exists():
            raise SystemExit(f"pull_request.py: the suite did not run at {commit[:12]}: exit code {code}")
    finally:
        subprocess.run(["git", "worktree", "remove", "--force", checkout], check=False)


def profiled_pairs(base, head):
    """The first recordings of each job that both sides have: JOB/REPEAT/profile/recording.sprof."""
    seen = set()
    for recording in sorted(head.glob("*/*/profile/recording.sprof")):
        relative = recording.relative_to(head)
        if relative.parts[0] not in seen and (base / relative).exists():
            seen.add(relative.parts[0])
            yield relative.parts[0], base / relative, recording


def describe_profiles(output, host):
    text = ""
    for job, before, after in list(profiled_pairs(output / "base", output / "head"))[:MOST_GRAPHS]:
        causes = output / f"{job}.md"
        if sparkprof("compare", before, after, "--top", "5", "--markdown", causes).returncode == 0:
            text += f"\n<details><summary><code>{html.escape(job)}</code></summary>\n\n{causes.read_text(encoding='utf-8')}"
            graph = output / f"{job}.svg"
            if sparkprof("diff", before, after, "-o", graph).returncode == 0:
                text += f"\n{host.upload(graph) or f'Differential flame graph: `{graph.name}` among the artifacts of this run.'}\n"
            text += "\n</details>\n"
    return text


def compare(output, significance):
    """The table, and whether something got worse."""
    table = output / "check.md"
    check = sparkprof("suite", "check", output / "head", "--against", output / "base", "--markdown", table, "--significance", significance)
    if check.returncode not in (0, 1) or not table.exists():
        raise SystemExit(f"pull_request.py: {check.stderr.strip()}")
    return table.read_text(encoding="utf-8"), check.returncode == 1


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("suite", type=pathlib.PurePosixPath)
    options.add_argument("--output-dir", type=pathlib.Path, default=pathlib.Path("sparkprof-suite"))
    options.add_argument("--significance", default="0.05")
    options.add_argument("--no-comment", action="store_true")
    options = options.parse_args()
    host = host_of(os.environ)
    output = options.output_dir.absolute()
    output.mkdir(parents=True, exist_ok=True)
    for commit, name in ((host.base, "base"), (host.head, "head")):
        run_suite(commit, options.suite, output / name)
    table, is_worse = compare(output, options.significance)
    text = (
        f"{MARK}\n### sparkprof: {'regression' if is_worse else 'no regression'}\n\n"
        f"`{options.suite}` at {host.base[:12]} and {host.head[:12]}, significance {options.significance}\n\n{table}"
    )
    try:
        text += describe_profiles(output, host)
    except urllib.error.URLError as error:
        print(f"pull_request.py: flame graphs are not in the comment: {error}", file=sys.stderr)
    if len(text) > MOST_CHARACTERS:
        text = text[:MOST_CHARACTERS] + "\n\n… truncated\n"
    (output / "comment.md").write_text(text, encoding="utf-8")
    if not options.no_comment:
        try:
            host.comment(text)
        except urllib.error.URLError as error:
            print(f"pull_request.py: no comment: {error}", file=sys.stderr)
    return 1 if is_worse else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SystemExit as stop:
        if isinstance(stop.code, str):
            print(stop.code, file=sys.stderr)
            sys.exit(2)
        raise
