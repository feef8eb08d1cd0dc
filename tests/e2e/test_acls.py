# SPDX-License-Identifier: Apache-2.0
"""Visibility of applications with `sparkprof serve --acls`: every address and every kind of identity."""

import json

from collector import API, Collector
from support import TestCase, sparkprof, wait_until
from test_watch import event_log

# Settings of each application's user.
APPLICATIONS = {
    "app-alice": ("alice", {}),
    "app-bob": ("bob", {"spark.ui.view.acls": "alice, carol"}),
    "app-team": ("bob", {"spark.ui.view.acls.groups": "etl"}),
    "app-admin": ("root", {"spark.admin.acls": "carol", "spark.ui.acls.enable": "false"}),
    "app-open": ("root", {"spark.ui.view.acls": "*"}),
}
ALL = set(APPLICATIONS)
TOKENS = {
    "alice": "read token-of-alice-1234 user=alice",
    "bob": "read token-of-bob-123456 user=bob groups=web",
    "carol": "read token-of-carol-1234 user=carol",
    "dave": "read token-of-dave-12345 user=dave groups=web,etl",
    "operator": "read token-of-oper-12345 user=oper groups=ops",
    "manager": "read token-of-manager-12 user=manager",
    "nobody": "read token-of-nobody-123",
    "admin": "admin token-of-admin-1234",
    "sender": "ingest token-of-sender-123",
}
SEES = {
    "alice": {"app-alice", "app-bob", "app-open"},
    "bob": {"app-bob", "app-team", "app-open"},
    "carol": {"app-bob", "app-admin", "app-open"},
    "dave": {"app-team", "app-open"},
    "operator": ALL,
    "manager": ALL,
    "nobody": {"app-open"},
    "admin": ALL,
}
OPTIONS = ("--acls", "--admin-acls", "manager", "--admin-acls-groups", "ops")


def log_of(application):
    user, settings = APPLICATIONS[application]
    environment = {"Event": "SparkListenerEnvironmentUpdate", "Spark Properties": settings}
    lines = event_log(application).replace(b'"User":"ada"', f'"User":"{user}"'.encode()).splitlines(keepends=True)
    lines.insert(1, json.dumps(environment).encode() + b"\n")
    return b"".join(lines)


def token_of(person):
    return TOKENS[person].split()[1]


class AclsTest(TestCase):
    def setUp(self):
        super().setUp()
        self.tokens = self.folder / "tokens"
        self.tokens.write_text("\n".join(TOKENS.values()) + "\n")
        self.tokens.chmod(0o600)
        self.logs = self.folder / "logs"
        self.logs.mkdir()

    def serve(self, *options):
        server = Collector(self.folder / "data", "--tokens", self.tokens, *options)
        self.addCleanup(server.stop)
        return server

    def write_logs(self, folder):
        for application in APPLICATIONS:
            (folder / application).write_bytes(log_of(application))

    def get(self, server, path, person, **headers):
        return server.request(
            "GET", path, token=token_of(person), headers={name.replace("_", "-"): value for name, value in headers.items()}
        )

    def listed(self, server, person, **headers):
        answer = self.get(server, API + "/applications", person, **headers).json()
        self.assertEqual(answer["total"], len(answer["applications"]))
        return {row["id"] for row in answer["applications"]}

    def assert_sees(self, server, person, expected, **headers):
        def get(path):
            return self.get(server, path, person, **headers)

        self.assertEqual(self.listed(server, person, **headers), expected)
        self.assertEqual({row["name"] for row in get(API + "/groups").json()["groups"]}, {f"job {id}" for id in expected})
        for application in APPLICATIONS:
            status = 200 if application in expected else 403
            for path in (
                API + f"/applications/{application}",
                API + f"/applications/{application}/findings",
                API + f"/applications/{application}/report",
                API + f"/compare?a={application}&b=app-open",
                API + f"/compare?a=app-open&b={application}",
            ):
                self.assertEqual(get(path).status, status, f"{person} {path}")
            # There are no samples to show.
            for path in (f"/applications/{application}/flame", f"/compare/flame?a={application}&b=app-open"):
                self.assertEqual(get(API + path).status == 403, status == 403, f"{person} {path}")
            findings = get(API + f"/groups/job%20{application}/findings").json()["findings"]
            self.assertEqual(bool(findings), application in expected, f"{person} {application}")
        self.assertEqual(get(API + "/runs").status, 200 if expected == ALL else 403)

    def assert_reads(self, server, person, expected):
        """The same by Spark's API."""
        self.assertEqual({row["id"] for row in self.get(server, "/api/v1/applications", person).json()}, expected)
        for application in APPLICATIONS:
            for path in ("", "/jobs", "/stages", "/environment", "/logs"):
                answer = self.get(server, f"/api/v1/applications/{application}{path}", person)
                self.assertEqual(answer.status, 200 if application in expected else 403, f"{person} {application} {path}")
                if answer.status == 403:
                    self.assertRegex(answer.body.decode(), r'^user ".*" is not authorized$')

    def tool(self, server, person, name, **arguments):
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        answer = server.request("POST", "/mcp", json.dumps(message).encode(), token=token_of(person))
        self.assertEqual(answer.status, 200, f"{person} {answer.body}")
        return answer.json()["result"]

    def assert_tools_see(self, server, person, expected):
        """The same by the tools for agents."""
        listed = self.tool(server, person, "find_applications")["content"][0]["text"]
        self.assertEqual({one for one in APPLICATIONS if f"\n{one} " in listed}, expected, listed)
        for application in APPLICATIONS:
            for name in ("diagnose", "explain", "tune"):
                refused = self.tool(server, person, name, application=application)["isError"]
                self.assertEqual(refused, application not in expected, f"{person} {name} {application}")
            refused = self.tool(server, person, "compare", before="app-open", after=application)["isError"]
            self.assertEqual(refused, application not in expected, f"{person} {application}")

    def load_all(self, server):
        """So that the catalogue has their findings."""
        for application in APPLICATIONS:
            self.assertEqual(self.get(server, API + f"/applications/{application}", "admin").status, 200)

        def complete():
            rows = self.get(server, API + "/applications", "admin").json()["applications"]
            return len(rows) == len(ALL) and all((row["findings"] or 0) > 0 for row in rows)

        wait_until(complete, "complete entries of all applications")

    def test_watched_event_logs_are_seen_by_those_in_their_settings(self):
        self.write_logs(self.logs)
        server = self.serve("--watch", self.logs, *OPTIONS)
        wait_until(lambda: self.listed(server, "admin") == ALL, "all applications")
        self.load_all(server)
        for person, expected in SEES.items():
            with self.subTest(person):
                self.assert_sees(server, person, expected)
                self.assert_reads(server, person, expected)
                self.assert_tools_see(server, person, expected)
        self.assertEqual(self.get(server, API + "/applications", "sender").status, 403)
        self.assertEqual(server.request("POST", "/mcp", b"{}", token=token_of("sender")).status, 403)
        server.stop()
        # The catalogue remembers it.
        server = self.serve("--watch", self.logs, *OPTIONS)
        self.assert_sees(server, "alice", SEES["alice"])

    def test_recordings_are_seen_by_those_in_their_settings(self):
        self.write_logs(self.folder)
        server = self.serve(*OPTIONS)
        (self.folder / "token").write_text(token_of("sender"))
        sparkprof(
            "push",
            *(self.folder / application for application in APPLICATIONS),
            "--server",
            server.url,
            "--token-file",
            self.folder / "token",
        )
        wait_until(lambda: self.listed(server, "admin") == ALL, "all applications")
        wait_until(lambda: len(self.get(server, "/api/v1/applications", "admin").json()) == len(ALL), "all event logs")
        self.load_all(server)
        for person, expected in SEES.items():
            with self.subTest(person):
                self.assert_sees(server, person, expected)
                self.assert_reads(server, person, expected)

    def push(self, server, *paths):
        (self.folder / "token").write_text(token_of("sender"))
        return sparkprof("push", *paths, "--server", server.url, "--token-file", self.folder / "token")

    def attacks(self):
        """Logs of app-alice that open it for bob, or lock alice out; also as another attempt, and without its user."""
        log = log_of("app-alice")
        for number, (user, settings, attempt) in enumerate(
            [
                ("bob", {"spark.ui.view.acls": "bob,*"}, None),
                ("bob", {}, None),
                ("alice", {"spark.ui.view.acls": "bob"}, "2"),
                ("bob", {"spark.admin.acls": "*"}, "3"),
            ]
        ):
            lines = log.replace(b'"User":"alice"', f'"User":"{user}"'.encode()).splitlines(keepends=True)
            lines[1] = json.dumps({"Event": "SparkListenerEnvironmentUpdate", "Spark Properties": settings}).encode() + b"\n"
            if attempt:
                lines = [
                    line.replace(b'"App ID":"app-alice"', f'"App ID":"app-alice","App Attempt ID":"{attempt}"'.encode()) for line in lines
                ]
            path = self.folder / f"attack-{number}"
            path.write_bytes(b"".join(lines))
            yield path

    def assert_only_alice(self, server):
        for person, status in {"alice": 200, "bob": 403, "carol": 403, "nobody": 403, "admin": 200}.items():
            for path in (API + "/applications/app-alice", API + "/applications/app-alice/report", "/api/v1/applications/app-alice/jobs"):
                if not path.startswith("/api/v1") or status == 403:
                    self.assertEqual(self.get(server, path, person).status, status, f"{person} {path}")
            self.assertEqual("app-alice" in self.listed(server, person), status == 200, person)
            self.assertEqual(
                "app-alice" in {row["id"] for row in self.get(server, "/api/v1/applications", person).json()}, status == 200, person
            )

    def audited(self):
        return [
            line
            for line in map(json.loads, (self.folder / "data/audit.jsonl").read_text().splitlines())
            if line["what"].startswith("access")
        ]

    def wait_for_catalogue(self, server):
        """Until all that was stored is in the list."""
        wait_until(lambda: b"sparkprof_catalogue_waiting_applications 0" in self.get(server, "/metrics", "admin").body, "the cataloguer")
        wait_until(lambda: "app-alice" in self.listed(server, "admin"), "the application")

    def test_a_later_upload_neither_opens_an_application_nor_locks_its_user_out(self):
        self.write_logs(self.folder)
        server = self.serve(*OPTIONS)
        self.push(server, self.folder / "app-alice")
        self.wait_for_catalogue(server)
        self.assert_only_alice(server)
        first = self.audited()
        self.assertEqual(
            [(line["what"], line["role"], line["subject"], line["peer"]) for line in first],
            [("access", "ingest", "app-alice", "127.0.0.1")],
        )
        self.assertIn("owner alice", first[0]["after"])
        for path in self.attacks():
            self.push(server, path)
            self.assert_only_alice(server)
        self.wait_for_catalogue(server)
        self.assert_only_alice(server)
        refused = [line for line in self.audited() if line["what"] == "access refused"]
        self.assertGreaterEqual(len(refused), 3)  # each list once
        self.assertEqual({line["role"] for line in refused} - {"server"}, {"ingest"})
        server.kill()
        for _ in range(2):  # a catalogue that is rebuilt does not change it
            server = self.serve(*OPTIONS)
            self.wait_for_catalogue(server)
            self.assert_only_alice(server)
            rows = {row["id"]: row["user"] for row in self.get(server, API + "/applications", "admin").json()["applications"]}
            self.assertEqual(rows, {"app-alice": "alice"})
            server.stop()
            for path in self.folder.glob("data/catalogue.duckdb*"):
                path.unlink()

    def test_a_second_log_or_recording_in_a_watched_folder_changes_nothing(self):
        (self.logs / "app-alice").write_bytes(log_of("app-alice"))
        server = self.serve("--watch", self.logs, *OPTIONS)
        self.wait_for_catalogue(server)
        for path in self.attacks():
            (self.logs / path.name).write_bytes(path.read_bytes() + b" " * 1000)
            sparkprof("analyze", path, "--no-report", "-o", self.logs / f"{path.name}.sprof")
            self.push(server, path)
        wait_until(lambda: len([line for line in self.audited() if line["what"] == "access refused"]) >= 3, "the refused lists")
        self.wait_for_catalogue(server)
        self.assert_only_alice(server)
        server.stop()
        server = self.serve("--watch", self.logs, *OPTIONS)
        self.wait_for_catalogue(server)
        self.assert_only_alice(server)

    def test_profiles_and_executors_before_the_driver_decide_nothing(self):
        server = self.serve(*OPTIONS)
        sent = server.request("POST", "/ingest?name=app-alice&format=folded", b"main;work 3\n", token=token_of("sender"))
        self.assertEqual(sent.status, 200)
        (self.folder / "app-alice").write_bytes(log_of("app-alice"))
        self.push(server, self.folder / "app-alice")
        self.wait_for_catalogue(server)
        wait_until(lambda: "app-alice" in self.listed(server, "alice"), "the driver's list")
        self.assert_only_alice(server)

    def test_a_trusted_proxy_names_the_user(self):
        self.write_logs(self.logs)
        proxied = ("--user-header", "X-User", "--groups-header", "X-Groups", "--trusted-proxy", "127.0.0.1")
        server = self.serve("--watch", self.logs, *OPTIONS, *proxied)
        wait_until(lambda: self.listed(server, "admin") == ALL, "all applications")
        self.load_all(server)
        self.assert_sees(server, "nobody", SEES["dave"], X_User="dave", X_Groups="web, etl")
        self.assert_sees(server, "admin", SEES["alice"], X_User="alice")
        self.assert_sees(server, "alice", ALL, X_User="manager")
        server.stop()
        server = self.serve("--watch", self.logs, *OPTIONS, *proxied[:4], "--trusted-proxy", "192.0.2.1")
        self.assert_sees(server, "nobody", SEES["nobody"], X_User="manager", X_Groups="ops")

    def test_without_the_option_every_reader_sees_all(self):
        self.write_logs(self.logs)
        server = self.serve("--watch", self.logs)
        wait_until(lambda: self.listed(server, "nobody") == ALL, "all applications")
        self.load_all(server)
        self.assert_sees(server, "nobody", ALL)
        self.assert_reads(server, "nobody", ALL)

    def test_wrong_usage_is_named(self):
        for options, message in {
            ("--acls",): "--tokens",
            ("--tokens", self.tokens, "--admin-acls", "a"): "add --acls",
            ("--tokens", self.tokens, "--acls", "--user-header", "X-User"): "--trusted-proxy",
            ("--tokens", self.tokens, "--acls", "--user-header", "X-User", "--trusted-proxy", "proxy.example"): "not an IP address",
        }.items():
            ended = sparkprof("serve", "--listen", "127.0.0.1:0", "--data", self.folder / "data", *options, check=False)
            self.assertEqual(ended.returncode, 2, options)
            self.assertIn(message, ended.stderr)
