# SPDX-License-Identifier: Apache-2.0
"""Tenants of one collector: nothing of one reaches another, on any path, by any protocol, whoever names the same applications."""

import json
import time
import urllib.parse

from collector import API, JSON, Collector, pushed
from small_logs import event_log
from support import TestCase, wait_until, write_file

TENANTS = ("a", "b", "")  # the last one is that of tokens without a tenant


def token(role, tenant, user=""):
    return f"{role}-{user}-of-tenant-{tenant or 'none'}"


def line(role, tenant, user=""):
    return f"{role} {token(role, tenant, user)}" + (f" tenant={tenant}" if tenant else "") + (f" user={user}" if user else "")


TOKENS = "".join(line(role, tenant) + "\n" for role in ("ingest", "read", "admin") for tenant in TENANTS)


def user_of(tenant):
    return f"user-of-{tenant or 'none'}"


def log_of(tenant, application):
    return event_log(application).replace(b'"User":"ada"', f'"User":"{user_of(tenant)}"'.encode())


class TenantsTest(TestCase):
    def serve(self, *options, tokens=TOKENS, **more):
        return self.enter(Collector(self.folder / "data", *options, tokens=tokens, **more))

    def push(self, server, tenant, application, content=None, code=0):
        path = self.folder / application
        path.write_bytes(content or log_of(tenant, application))
        return server.push(path, "--token-file", write_file(self.folder / "token", token("ingest", tenant), 0o600), code=code)

    def own(self, tenant):
        return f"only-{tenant or 'none'}"

    def push_all(self, server):
        """All have an application app-1, one of their own, a profile with their name in a frame, and a proof."""
        for tenant in TENANTS:
            for application in ("app-1", self.own(tenant)):
                self.push(server, tenant, application)
            self.push(server, tenant, "shop.folded", f"main;frame_of_{user_of(tenant)} 100\n".encode())
            subject = {"time": 7, "group": "job app-1", "application": "app-1", "finding": "skew-1.0", "rule": "skew"}
            measured = {"deltaMs": None, "promisedMs": None, "promise": None, "worse": [], "runs": {"before": 4, "after": 4}}
            proof = subject | {"change": "spark.a=1", "verdict": "proved", "text": f"Proved by {user_of(tenant)}"} | measured
            self.assertEqual(server.request("POST", f"{API}/proofs", proof, token=token("ingest", tenant)).status, 201)
        for tenant in TENANTS:
            wait_until(lambda tenant=tenant: len(self.rows(server, "read", tenant)) == 3, f"the applications of {tenant}")

    def rows(self, server, role, tenant):
        return server.request("GET", f"{API}/applications?limit=1000", token=token(role, tenant)).json()["applications"]

    def paths(self, server, other):
        """Every path of the API with the names of another tenant's applications and groups, and what they have in common."""
        names = {"{id}": ("app-1", other), "{group}": ("job%20app-1", f"job%20{other}", "shop"), "{host}": ("a",)}
        for named, methods in server.request("GET", "/api/openapi.json").json()["paths"].items():
            if "get" not in methods:
                continue
            [variable] = [key for key in names if key in named] or ["{}"]
            for name in names.get(variable, ("",)):
                yield named.replace(variable, name).replace("{", "").replace("}", "")
        for name in ("app-1", other):
            yield from (f"{API}/compare?a=app-1&b={name}", f"{API}/compare?a={name}&b=app-1", f"{API}/applications?search={name}")
            yield from (f"/api/v1/applications/{name}{of}" for of in ("/jobs", "/stages", "/executors", "/environment", "/logs"))
        yield from (f"{API}/groups/shop/flame?format=collapsed", f"{API}/applications?user={user_of(other[5:])}")
        yield f"{API}/compare/flame?aGroup=shop&bGroup=shop&format=collapsed"

    def asked(self, server, other):
        """The same by the tools for agents and as Grafana asks."""
        calls = [("find_applications", {}), ("find_applications", {"search": "user-of"})]
        calls += [(name, {"application": key}) for name in ("diagnose", "explain", "tune") for key in (other, f"{other}~", "app-1")]
        calls.append(("compare", {"before": "app-1", "after": other}))
        for name, arguments in calls:
            yield "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        times = {"start": 1_600_000_000_000, "end": int(time.time() * 1000) + 60_000}
        for method in ("ProfileTypes", "LabelNames", "LabelValues", "Series", "SelectMergeStacktraces"):
            for name in ("user", "application_id", "service_name"):
                body = times | {"name": name, "labelNames": [name], "profileTypeID": "process_cpu:cpu:nanoseconds:cpu:nanoseconds"}
                yield f"/querier.v1.QuerierService/{method}", body | {"labelSelector": "{}"}

    def assert_apart(self, server):
        for tenant in TENANTS:
            rows = self.rows(server, "read", tenant)
            self.assertEqual(len(rows), 3, rows)
            self.assertLessEqual({"app-1", self.own(tenant)}, {row["id"] for row in rows})
            self.assertLessEqual({row["user"] for row in rows}, {user_of(tenant), ""})
            [proof] = server.request("GET", f"{API}/proofs?group=job%20app-1", token=token("read", tenant)).json()["proofs"]
            self.assertEqual(proof["text"], f"Proved by {user_of(tenant)}")
            for role in ("read", "admin"):
                if role == "admin" and not tenant:
                    continue
                for other in TENANTS:
                    if other != tenant:
                        self.assert_nothing_of(server, other, token(role, tenant))
        self.assertEqual(len(self.rows(server, "admin", "")), 9, "the operator sees all")

    def assert_nothing_of(self, server, other, asking):
        mark = user_of(other).encode()
        for path in self.paths(server, self.own(other)):
            answer = server.request("GET", path, token=asking)
            with self.subTest(path, asking=asking, status=answer.status):
                self.assertNotIn(mark, answer.body)
                if self.own(other) in path and "/applications/" in path:
                    self.assertIn(answer.status, (400, 404), "whether it exists is not told")
        for path, body in self.asked(server, self.own(other)):
            with self.subTest(body, asking=asking):
                self.assertNotIn(mark, server.request("POST", path, body, JSON, token=asking).body)

    def test_tenants_see_nothing_of_each_other(self):
        server = self.serve()
        self.push_all(server)
        self.assert_apart(server)
        server.stop()
        # A catalogue that is rebuilt changes nothing.
        for path in self.folder.glob("data/catalogue.duckdb*"):
            path.unlink()
        server = self.serve()
        wait_until(lambda: len(self.rows(server, "admin", "")) == 9, "all applications")
        self.assert_apart(server)

    def test_lists_of_users_apply_within_a_tenant(self):
        people = [("a", user_of("a")), ("a", user_of("b")), ("", user_of("a"))]
        tokens = TOKENS + "".join(line("read", tenant, user) + "\n" for tenant, user in people)
        server = self.serve("--acls", "--admin-acls", user_of("b"), tokens=tokens)
        self.push_all_by_operator(server)
        seen = {}
        for tenant, user in people:
            listed = server.request("GET", f"{API}/applications", token=token("read", tenant, user)).json()["applications"]
            seen[tenant, user] = sorted(row["id"] for row in listed if row["user"])
        self.assertEqual(seen["a", user_of("a")], ["app-1", "only-a"])
        self.assertEqual(seen["a", user_of("b")], ["app-1", "only-a"], "an administrator of the own tenant only")
        self.assertEqual(seen["", user_of("a")], [])

    def push_all_by_operator(self, server):
        for tenant in TENANTS:
            for application in ("app-1", self.own(tenant)):
                self.push(server, tenant, application)
        wait_until(lambda: len(self.rows(server, "admin", "")) == 6, "all applications")

    def test_one_source_in_two_tenants_is_two(self):
        server = self.serve()
        log = self.folder / "posted"
        log.write_bytes(event_log("posted"))
        blocks = pushed(self.folder / "other", log)
        for tenant in ("a", "b"):
            self.assertEqual(server.post(blocks, token=token("ingest", tenant)).json()["duplicates"], 0, tenant)
            self.assertGreater(server.post(blocks, token=token("ingest", tenant)).json()["duplicates"], 0, tenant)
        wait_until(lambda: len(self.rows(server, "admin", "")) == 2, "both")
        self.assertEqual([len(self.rows(server, "read", tenant)) for tenant in TENANTS], [1, 1, 0])

    def test_a_group_is_configured_in_its_tenant(self):
        server = self.serve()

        def interval(tenant, group="etl"):
            asked = server.request("GET", f"{API}/groups/{group}/configuration", token=token("ingest", tenant))
            return asked.json()["configuration"].get("cpu.interval")

        for tenant, value in (("a", "10ms"), ("b", "20ms")):
            body = {"configuration": {"cpu.interval": value}}
            self.assertEqual(server.request("PUT", f"{API}/groups/etl/configuration", body, token=token("admin", tenant)).status, 200)
        self.assertEqual([interval(tenant) for tenant in TENANTS], ["10ms", "20ms", None])
        self.assertIsNone(interval("", urllib.parse.quote("\na\netl", safe="")))
        audit = [json.loads(row) for row in (self.folder / "data/audit.jsonl").read_text().splitlines()]
        self.assertIn("etl of tenant b", json.dumps(audit))

    def test_what_belongs_to_the_whole_server_is_not_for_tenants(self):
        server = self.serve()
        for role, method, path, body in (("read", "GET", "/metrics", None), ("ingest", "POST", f"{API}/runs", b'{"suiteName":"a"}')):
            statuses = [server.request(method, path, body, token=token(role, tenant)).status for tenant in TENANTS]
            self.assertEqual(statuses[:2], [403, 403], path)
            self.assertIn(statuses[2], (200, 201), path)
        for path in (f"{API}/runs", f"{API}/nodes", "/metrics/jobs"):
            self.assertEqual([server.request("GET", path, token=token("read", tenant)).status for tenant in TENANTS], [403] * 3, path)
            self.assertEqual(
                [server.request("GET", path, token=token("admin", tenant)).status for tenant in TENANTS], [403, 403, 200], path
            )

    def test_a_trusted_proxy_names_the_tenant(self):
        server = self.serve("--tenant-header", "X-Scope-OrgID", "--trusted-proxy", "127.0.0.1")
        log = self.folder / "app-1"
        log.write_bytes(event_log("app-1"))
        blocks = pushed(self.folder / "other", log)

        def status(asking, *tenants, method="GET", path=f"{API}/applications", body=None):
            headers = {"X-Scope-OrgID": tenants[0]} if tenants else {}
            return server.request(method, path, body, headers, token=asking).status

        plain = token("ingest", "")
        self.assertEqual(status(plain, "c", method="POST", path=f"{API}/recordings", body=blocks), 200)
        wait_until(lambda: self.listed_by_header(server, "c") == ["app-1"], "the application")
        self.assertEqual(self.listed_by_header(server, "d"), [])
        self.assertEqual(status(plain, method="POST", path=f"{API}/recordings", body=blocks), 403, "no tenant")
        self.assertEqual(status(token("read", "")), 403)
        self.assertEqual(status(token("admin", ""), "c|d"), 403)
        self.assertEqual(status(token("read", "a"), "b"), 403, "the token is of another tenant")
        self.assertEqual(status(token("read", "a"), "a"), 200)

    def listed_by_header(self, server, tenant):
        answer = server.request("GET", f"{API}/applications", headers={"X-Scope-OrgID": tenant}, token=token("admin", ""))
        return [row["id"] for row in answer.json()["applications"]]

    def test_a_tenant_has_quotas_of_its_own(self):
        server = self.serve("--tenant-applications", "2", "--tenant-bytes", "b=100", "--tenant-bytes", "1g")

        def recording(application):
            log = self.folder / f"{application}.log"
            log.write_bytes(event_log(application))
            return pushed(self.folder / f"data-{application}", log)

        recordings = [recording(f"app-{number}") for number in range(3)]

        def statuses(tenant):
            return [server.post(blocks, token=token("ingest", tenant)).status for blocks in recordings]

        self.assertEqual(statuses("a"), [200, 200, 429])
        self.assertEqual(statuses("a"), [200, 200, 429], "what is there may go on")
        self.assertEqual(statuses("b"), [429, 429, 429])
        self.assertEqual(statuses(""), [200, 200, 200])
        refused = server.post(recordings[2], token=token("ingest", "a"))
        self.assertIn("tenant a has reached its quota of 2 applications", refused.body.decode())

    def test_a_tenant_that_asks_too_often_waits_and_others_do_not(self):
        server = self.serve("--tenant-queries", "1", "--tenant-queries", "b=1000")

        def statuses(tenant):
            return {server.request("GET", f"{API}/applications", token=token("read", tenant)).status for _ in range(20)}

        self.assertEqual([statuses(tenant) for tenant in TENANTS], [{200, 429}, {200}, {200}])
        refused = wait_until(lambda: self.refused(server), "a refusal")
        self.assertTrue(refused.headers["Retry-After"])
        self.assertIn("tenant a has reached its quota of 1 queries per second", refused.body.decode())
        wait_until(lambda: not self.refused(server), "an answer")

    def refused(self, server):
        answer = server.request("GET", f"{API}/groups", token=token("read", "a"))
        return answer if answer.status == 429 else None
