# SPDX-License-Identifier: Apache-2.0
"""Visibility of applications with `sparkprof serve --acls`: every address and every kind of identity."""

import json
import re
import shutil

from collector import API, Collector
from small_logs import event_log
from support import TestCase, sparkprof, wait_until, write_file

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
    "bob's sender": "ingest token-of-bobs-sender user=bob",
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
        self.logs = self.folder / "logs"
        self.logs.mkdir()

    def serve(self, *options):
        return self.enter(Collector(self.folder / "data", *options, tokens="\n".join(TOKENS.values()) + "\n"))

    def write_logs(self, folder):
        for application in APPLICATIONS:
            (folder / application).write_bytes(log_of(application))

    def get(self, server, path, person, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        return server.request("GET", path, token=token_of(person), headers=headers)

    def rows(self, server, person, **headers):
        answer = self.get(server, API + "/applications", person, **headers).json()
        self.assertEqual(answer["total"], len(answer["applications"]))
        return answer["applications"]

    def listed(self, server, person, **headers):
        return {row["id"] for row in self.rows(server, person, **headers)}

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
        answer = server.request("POST", "/mcp", message, token=token_of(person))
        self.assertEqual(answer.status, 200, f"{person} {answer.body}")
        return answer.json()["result"]

    def assert_tools_see(self, server, person, expected):
        """The same by the tools for agents."""
        listed = self.tool(server, person, "find_applications")["content"][0]["text"]
        self.assertEqual({one for one in APPLICATIONS if f"\n«{one}» " in listed}, expected, listed)
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
            rows = self.rows(server, "admin")
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
        self.push(server, *(self.folder / application for application in APPLICATIONS))
        wait_until(lambda: self.listed(server, "admin") == ALL, "all applications")
        wait_until(lambda: len(self.get(server, "/api/v1/applications", "admin").json()) == len(ALL), "all event logs")
        self.load_all(server)
        for person, expected in SEES.items():
            with self.subTest(person):
                self.assert_sees(server, person, expected)
                self.assert_reads(server, person, expected)

    def push(self, server, *paths, person="sender", **options):
        (self.folder / "token").write_text(token_of(person))
        return server.push(*paths, "--token-file", self.folder / "token", **options)

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
                named = f'"App ID":"app-alice","App Attempt ID":"{attempt}"'.encode()
                lines = [line.replace(b'"App ID":"app-alice"', named) for line in lines]
            path = self.folder / f"attack-{number}"
            path.write_bytes(b"".join(lines))
            yield path

    def users_of(self, server, person):
        """The owners of the entries that are listed as app-alice."""
        return [row["user"] for row in self.rows(server, person) if row["id"] == "app-alice"]

    def assert_only_alice(self, server, has_others=False):
        """The address of app-alice shows alice's entry to alice alone, and to others at most what bob sent."""
        for person in ("alice", "bob", "carol", "nobody"):
            users = {"alice"} if person == "alice" else {"bob"} if has_others else set()
            if person == "alice" or not has_others:
                self.assertEqual(set(self.users_of(server, person)), users, person)
            else:
                self.assertLessEqual(set(self.users_of(server, person)), users, person)
            shown = self.get(server, API + "/applications/app-alice/report", person)
            self.assertIn(shown.status, (200,) if person == "alice" else (200, 403), person)
            if shown.status == 200:
                owners = re.findall(rb'"user":"(alice|bob)"', shown.body)
                self.assertEqual({owner.decode() for owner in owners}, users, person)
        names = {row["id"].partition("~")[0] for row in self.rows(server, "admin") if row["user"] == "alice"}
        self.assertEqual(names, {"app-alice"})

    def wait_for_catalogue(self, server):
        """Until all that was stored is in the list."""
        wait_until(lambda: b"sparkprof_catalogue_waiting_applications 0" in self.get(server, "/metrics", "admin").body, "the cataloguer")
        wait_until(lambda: "app-alice" in self.listed(server, "admin"), "the application")

    def test_whoever_names_an_application_gets_nothing_of_its_owner(self):
        self.write_logs(self.folder)
        for order in ("before", "after"):
            with self.subTest(order):
                server = self.serve(*OPTIONS)
                attacks = list(self.attacks())
                for path in attacks if order == "before" else []:
                    self.push(server, path)
                self.push(server, self.folder / "app-alice")
                for path in attacks if order == "after" else []:
                    self.push(server, path)
                self.wait_for_catalogue(server)
                wait_until(lambda server=server: self.users_of(server, "alice") == ["alice"], "alice's entry")
                self.assert_only_alice(server, has_others=True)
                audit = map(json.loads, (self.folder / "data/audit.jsonl").read_text().splitlines())
                self.assertEqual({line["role"] for line in audit if line["what"] == "access refused"} - {"server"}, {"ingest"})
                server.kill()
                for _ in range(2):  # a catalogue that is rebuilt does not change it
                    server = self.serve(*OPTIONS)
                    self.wait_for_catalogue(server)
                    self.assert_only_alice(server, has_others=True)
                    self.assertEqual({row["user"] for row in self.rows(server, "admin")}, {"alice", "bob"})
                    server.stop()
                    for path in self.folder.glob("data/catalogue.duckdb*"):
                        path.unlink()
                shutil.rmtree(self.folder / "data")

    def test_logs_in_watched_folders_belong_to_the_users_in_their_events(self):
        (self.logs / "app-alice").write_bytes(log_of("app-alice"))
        for path in self.attacks():
            if b'"User":"bob"' in path.read_bytes():
                (self.logs / path.name).write_bytes(path.read_bytes() + b" " * 1000)
        for _ in range(2):
            server = self.serve("--watch", self.logs, *OPTIONS)
            self.wait_for_catalogue(server)
            wait_until(lambda server=server: self.users_of(server, "bob"), "bob's entries")
            self.assert_only_alice(server, has_others=True)
            server.stop()

    def test_damaged_lists_are_noticed_and_taken_from_the_recordings(self):
        self.write_logs(self.folder)
        server = self.serve(*OPTIONS)
        for path in [self.folder / "app-alice", *self.attacks()]:
            self.push(server, path)
        self.wait_for_catalogue(server)
        server.stop()
        lists = self.folder / "data/access.jsonl"
        damaged = bytearray(lists.read_bytes())
        damaged[2] ^= 0xFF
        lists.write_bytes(damaged)
        server = self.serve(*OPTIONS)
        self.wait_for_catalogue(server)
        self.assert_only_alice(server, has_others=True)
        [warning] = server.request("GET", "/healthz", token=token_of("admin")).json()["warnings"]
        self.assertIn("access.jsonl: 1 damaged or missing lines", warning)
        server.stop()
        verified = sparkprof("collector", "verify", "--data", self.folder / "data", code=1)
        self.assertIn("access.jsonl.damaged", verified.stdout + verified.stderr)

    def test_the_owner_of_a_file_may_own_its_log(self):
        (self.logs / "app-alice").write_bytes(log_of("app-alice"))
        server = self.serve("--watch", self.logs, "--watch-owner", "file", *OPTIONS)
        self.wait_for_catalogue(server)
        self.assertEqual(self.users_of(server, "alice"), [])
        self.assertEqual(self.users_of(server, "admin"), [self.logs.owner()])

    def test_a_token_with_a_user_sends_his_applications_only(self):
        self.write_logs(self.folder)
        server = self.serve(*OPTIONS)
        refused = self.push(server, self.folder / "app-alice", person="bob's sender", code=2)
        self.assertIn("the token may only send applications of user bob, not one of user alice", refused.stderr)
        self.assertEqual(self.listed(server, "admin"), set())

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
        tokens = write_file(self.folder / "tokens", "read token-of-a-reader\n", 0o600)
        for options, message in {
            ("--acls",): "--tokens",
            ("--tokens", tokens, "--admin-acls", "a"): "add --acls",
            ("--tokens", tokens, "--acls", "--user-header", "X-User"): "--trusted-proxy",
            ("--tokens", tokens, "--acls", "--user-header", "X-User", "--trusted-proxy", "proxy.example"): "not an IP address",
        }.items():
            ended = sparkprof("serve", "--listen", "127.0.0.1:0", "--data", self.folder / "data", *options, code=2)
            self.assertIn(message, ended.stderr)
