# SPDX-License-Identifier: Apache-2.0
"""The collector against the OWASP API Security Top 10 of 2023, a test for each risk that applies. API6 (business flows) does not, and API9
(inventory) is a unit test: the OpenAPI document has exactly the routes (routes_test.cc)."""

import contextlib
import gzip
import json
import pathlib
import re
import socket
import ssl
import urllib.parse

from certificates import make_certificate
from collector import API, Collector
from http_stub import answering
from small_logs import event_log
from support import TestCase, wait_until, write_file

INGEST, READ, ADMIN = "ingest-0123456789abcdef", "reader-0123456789abcdef", "admins-0123456789abcdef"
OPEN_TO_ALL = {("get", path) for path in ("/healthz", "/livez", "/readyz", "/api/openapi.json")}
FOR_JOBS = {("get", f"{API}/groups/{{group}}/{name}") for name in ("configuration", "configuration/auto")}  # read by every role
READS_BY_POST = {  # questions of agents, and of Grafana
    ("post", "/mcp"),
    ("post", "/querier.v1.QuerierService/{method}"),
    ("post", "/settings.v1.SettingsService/Get"),
}


class ApiRisksTest(TestCase):
    def serve(self, *options, tokens=f"ingest {INGEST}\nread {READ}\nadmin {ADMIN}\n", **more):
        return self.enter(Collector(self.folder / "data", *options, tokens=tokens, **more))

    def push(self, server, application, log=None):
        (self.folder / application).write_bytes(log or event_log(application))
        server.push(self.folder / application, "--token-file", write_file(self.folder / "token", INGEST, 0o600))

    def operations(self, server):
        """(method, path with names, path that can be asked) of all that the API has."""
        for path, methods in server.request("GET", "/api/openapi.json").json()["paths"].items():
            for method in methods:
                if method != "parameters":
                    yield method, path, path.replace("{id}", "app-1").replace("{", "").replace("}", "")

    def test_api1_an_application_is_refused_on_every_path_that_takes_its_id(self):
        server = self.serve("--acls", tokens=f"ingest {INGEST}\nread {READ} user=eve\nadmin {ADMIN}\n")
        self.push(server, "app-1")
        wait_until(lambda: server.request("GET", f"{API}/applications", token=ADMIN).json()["total"] == 1, "the application")
        paths = [path for method, named, path in self.operations(server) if method == "get" and "{id}" in named]
        paths += [f"{API}/compare?a=app-1&b=app-1", f"{API}/compare/flame?a=app-1&b=app-1"]
        paths += [f"/api/v1/applications/app-1{of}" for of in ("", "/jobs", "/stages", "/executors", "/environment", "/sql", "/logs")]
        self.assertGreater(len(paths), 10)
        for path in paths:
            with self.subTest(path):
                self.assertEqual(server.request("GET", path, token=READ).status, 403)
                self.assertNotEqual(server.request("GET", path, token=ADMIN).status, 403)
        for listing in (f"{API}/applications", f"{API}/groups", "/api/v1/applications"):
            self.assertNotIn(b"app-1", server.request("GET", listing, token=READ).body, listing)

    def test_api2_only_the_whole_token_in_its_place_opens_anything(self):
        server = self.serve()
        listed = f"{API}/applications"
        for wrong in ("", READ[:-1], READ + "x", READ.upper(), f"{READ},{ADMIN}", "x" * 5000):
            self.assertEqual(server.request("GET", listed, headers={"Authorization": f"Bearer {wrong}"}).status, 401, wrong[:40])
        self.assertEqual(server.request("GET", f"{listed}?token={READ}").status, 401)
        self.assertEqual(server.request("GET", listed, headers={"Cookie": f"token={READ}"}).status, 401)
        self.assertEqual(server.request("GET", listed, headers={"Cookie": f"sparkprof={READ}"}).status, 200)
        self.assertEqual(server.request("GET", listed, token=READ).status, 200)

    def test_api3_requests_change_only_what_they_may(self):
        server = self.serve()
        # Where a job sends its recording is not the group's to change.
        for key in ("server", "tokenFile", "dir", "label", "nonsense"):
            body = {"configuration": {key: "x"}}
            self.assertEqual(server.request("PUT", f"{API}/groups/etl/configuration", body, token=ADMIN).status, 400, key)
        made = server.request("POST", f"{API}/runs", b'{"id":77,"suiteName":"a"}', token=INGEST).json()
        self.assertEqual(made["id"], 1)
        server.request("PATCH", f"{API}/runs/1", b'{"id":78,"overallStatus":"passed"}', token=INGEST)
        self.assertEqual([run["id"] for run in server.request("GET", f"{API}/runs", token=READ).json()["runs"]], [1])
        # Names of hosts and files are for those who may read.
        self.assertEqual(set(server.health().json()), {"status"})

    def test_api4_what_is_too_much_is_refused_and_the_server_goes_on(self):
        server = self.serve()
        bomb = gzip.compress(bytes(300 << 20), 9)
        self.assertEqual(server.request("POST", "/ingest?name=shop&format=pprof", bomb, token=INGEST).status, 413)
        labels = urllib.parse.quote("{" + ",".join(f"label{number}=x" for number in range(100)) + "}")
        self.assertEqual(server.request("POST", f"/ingest?name=shop{labels}", b"main 1\n", token=INGEST).status, 400)
        self.assertEqual(server.request("PUT", f"{API}/groups/g/configuration", bytes(65 << 10), token=ADMIN).status, 413)
        self.assertEqual(server.request("GET", f"{API}/applications?search={'x' * 20000}", token=READ).status, 431)
        for limit in ("1001", "-1", "99999999999999999999"):
            self.assertEqual(server.request("GET", f"{API}/applications?limit={limit}", token=READ).status, 400)
        self.assertEqual(server.request("GET", f"{API}/applications?search={urllib.parse.quote('(a+)+$' * 200)}", token=READ).status, 200)
        self.assertEqual(server.health().status, 200)

    def connect(self, server, context=None):
        connection = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        self.addCleanup(connection.close)
        return context.wrap_socket(connection, server_hostname="localhost") if context else connection

    def raw(self, server, request):
        """The answer to bytes that are sent as they are, until the server closes the connection."""
        connection = self.connect(server)
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        with contextlib.suppress(ConnectionResetError):
            while piece := connection.recv(65536):
                answer += piece
        return answer

    def test_api4_an_answer_has_a_limit_and_slow_readers_share_one(self):
        server = self.serve("--cache", "2g")
        self.push(server, "app-1", event_log("app-1", groups=("90000 duration=1000",)))
        of_stage = "/api/v1/applications/app-1/stages"
        wait_until(lambda: server.spark("/app-1", token=READ).status == 200, "the application")
        first = server.request("GET", of_stage, token=READ).json()[0]
        stage = f"{of_stage}/{first['stageId']}/{first['attemptId']}"
        for path, status, named in (
            (f"{of_stage}?withSummaries=true&quantiles={','.join(['0.5'] * 3000)}", 400, "at most 100 values"),
            (f"{stage}/taskSummary?quantiles={','.join(['0.5'] * 101)}", 400, "at most 100 values"),
            (f"{of_stage}?" + "&".join(["status=active"] * 101), 400, "101 parameters"),
            (f"{stage}/taskList?length=90000", 413, "more than 64 MiB"),
            (f"{of_stage}?details=true", 413, "more than 64 MiB"),
        ):
            answer = server.request("GET", path, token=READ)
            self.assertEqual(answer.status, status, path[:80])
            self.assertIn(named, answer.body.decode(), path[:80])
        path = f"{stage}/taskList?length=20000"
        whole = server.request("GET", path, token=READ)
        self.assertEqual((whole.status, len(whole.json())), (200, 20000))
        before = self.resident(server)
        statuses = []
        with contextlib.ExitStack() as stack:
            headers = f"Host: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {READ}\r\n\r\n"
            for reader in range(24):
                slow = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
                slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                # Each asks for another answer, which no cache has.
                slow.sendall(f"GET {path}&offset={reader} HTTP/1.1\r\n{headers}".encode())
                statuses.append(slow.recv(12).split()[1])
            self.assertEqual(set(statuses) - {b"200", b"503"}, set())
            self.assertLess(self.resident(server) - before, 700 << 20)
            self.assertEqual(server.health().status, 200)

    @staticmethod
    def resident(server):
        return int(pathlib.Path(f"/proc/{server.process.pid}/statm").read_text().split()[1]) * 4096

    def test_api4_senders_that_announce_much_and_send_little_keep_nobody_out(self):
        server = self.serve()
        head = f"POST {API}/recordings HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {INGEST}\r\nContent-Length: {64 << 20}\r\n\r\n"
        for _ in range(40):
            self.connect(server).sendall(head.encode() + b"SPRF")
        self.push(server, "app-1")
        self.assertEqual(server.request("POST", "/ingest?name=shop", b"main 1\n", token=INGEST).status, 200)

    def test_api4_idle_connections_and_few_descriptors_keep_nobody_out(self):
        certificate, key = make_certificate(self.folder)
        server = self.serve("--tls-cert", certificate, "--tls-key", key, tls=str(certificate), descriptors=(64, 256))
        limits = pathlib.Path(f"/proc/{server.process.pid}/limits").read_text()
        self.assertRegex(limits, r"Max open files +256 +256")
        context = ssl.create_default_context(cafile=certificate)
        # Three of four do not even begin with TLS.
        idle = [self.connect(server, context if number % 4 == 0 else None) for number in range(400)]
        self.assertEqual(server.request("POST", "/ingest?name=shop", b"main 1\n", token=INGEST).status, 200)
        wait_until(lambda: server.request("GET", f"{API}/groups", token=READ).json()["groups"], "the catalogue's entry")
        metrics = server.request("GET", "/metrics", token=READ).body.decode()
        self.assertGreater(int(re.search(r"sparkprof_http_evicted_total (\d+)", metrics)[1]), len(idle) - 256)

    def test_api8_requests_that_a_proxy_may_read_differently_are_refused(self):
        server = self.serve()
        line, host, auth = "POST /ingest?name=shop HTTP/1.1\r\n", "Host: x\r\n", f"Authorization: Bearer {INGEST}\r\n"
        body = "main 1\n"
        length, chunks = f"Content-Length: {len(body)}\r\n", f"{len(body):x}\r\n{body}\r\n0\r\n\r\n"
        for request, status in (
            (line + auth + length + "\r\n" + body, 400),
            (line + host + host + auth + length + "\r\n" + body, 400),
            (line + host + auth + "X: a\r\n b\r\n" + length + "\r\n" + body, 400),
            (line + host + auth + "X : a\r\n" + length + "\r\n" + body, 400),
            (line + host + auth + "X: a\n" + length + "\r\n" + body, 400),
            (line + host + auth + "X: a\rY: b\r\n" + length + "\r\n" + body, 400),
            (line + host + auth + length + "Transfer-Encoding: chunked\r\n\r\n" + chunks, 400),
            (line + host + auth + length + length + "\r\n" + body, 400),
            (line + host + auth + length + "Content-Length: 3\r\n\r\n" + body, 400),
            (line + host + auth + length + "TE: gzip, chunked\r\n\r\n" + body, 400),
            (line + host + auth + "Transfer-Encoding: gzip, chunked\r\n\r\n" + chunks, 501),
            (line + host + auth + "Transfer-Encoding: cow\r\n\r\n" + chunks, 501),
            (line + host + auth + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks, 400),
        ):
            with self.subTest(request):
                answer = self.raw(server, (request + f"GET /healthz HTTP/1.1\r\n{host}\r\n").encode())
                self.assertTrue(answer.startswith(b"HTTP/1.1 %d " % status), answer)
                self.assertEqual(answer.count(b"HTTP/1.1 "), 1, answer)
        accepted = line + host + auth + "Transfer-Encoding: chunked\r\n\r\n" + chunks
        self.assertTrue(self.raw(server, accepted.encode()).startswith(b"HTTP/1.1 200 "))

    def test_api8_tls_has_forward_secrecy_and_authenticated_encryption(self):
        certificate, key = make_certificate(self.folder)
        server = self.serve("--tls-cert", certificate, "--tls-key", key, tls=str(certificate))

        def handshake(ciphers, version=ssl.TLSVersion.TLSv1_2):
            context = ssl.create_default_context(cafile=certificate)
            context.minimum_version = context.maximum_version = version
            context.set_ciphers(ciphers)
            with self.connect(server, context) as connection:
                return connection.cipher()[0]

        for refused in ("AES128-GCM-SHA256", "AES256-SHA", "ECDHE-RSA-AES128-SHA", "ECDHE-RSA-AES256-SHA384", "DHE-RSA-AES128-GCM-SHA256"):
            with self.subTest(refused), self.assertRaises(ssl.SSLError):
                handshake(refused + ":@SECLEVEL=0")
        self.assertEqual(handshake("ECDHE-RSA-AES128-GCM-SHA256"), "ECDHE-RSA-AES128-GCM-SHA256")
        self.assertEqual(handshake("ECDHE-RSA-CHACHA20-POLY1305"), "ECDHE-RSA-CHACHA20-POLY1305")
        self.assertTrue(handshake("DEFAULT", ssl.TLSVersion.TLSv1_3).startswith("TLS_"))
        for path in ("/", "/healthz", "/nothing", f"{API}/applications"):
            self.assertRegex(server.request("GET", path).headers["strict-transport-security"], "max-age=[0-9]{8}")

    def test_api5_every_operation_is_for_its_roles_only(self):
        server = self.serve()
        checked = 0
        for method, named, path in self.operations(server):
            if (method, named) in OPEN_TO_ALL:
                continue
            checked += 1
            writes = method != "get" and (method, named) not in READS_BY_POST
            by_admin = named.startswith(API) and method == "put"
            allowed = {None: False, ADMIN: True, INGEST: (writes and not by_admin) or (method, named) in FOR_JOBS, READ: not writes}
            for token, is_allowed in allowed.items():
                with self.subTest(f"{method} {named}", token=token):
                    status = server.request(method.upper(), path, None if method == "get" else b"", token=token).status
                    self.assertEqual(status not in (401, 403), is_allowed, status)
        self.assertGreater(checked, 25)

    def test_api7_no_parameter_names_a_file_or_a_host(self):
        server = self.serve()
        self.push(server, "app-1")
        for name in ("output", "o", "source", "input-format", "server", "ca-file", "token-file", "lenient"):
            for value in ("/etc/passwd", "http://127.0.0.1:1/"):
                answer = server.request("GET", f"{API}/applications/app-1/flame?{name}={urllib.parse.quote(value)}", token=READ)
                self.assertEqual(answer.status, 400, f"{name}: {answer.body}")
                self.assertNotIn(b"root:", answer.body)
        for path in ("/assets/..%2f..%2f..%2fetc%2fpasswd", "/applications/..%2f..%2fetc", "/..%2fetc%2fpasswd"):
            self.assertNotIn(b"root:", server.request("GET", path, token=READ).body)

    def test_api8_every_answer_has_the_headers_that_protect_a_browser(self):
        server = self.serve()
        read = ("/", "/login", "/assets/server.js", f"{API}/applications", "/nothing", "/api/v1/applications/x")
        others = [("TRACE", "/"), ("POST", "/login"), ("OPTIONS", f"{API}/applications")]
        for method, path in [*(("GET", path) for path in read), *others]:
            with self.subTest(f"{method} {path}"):
                headers = server.request(method, path, token=READ, headers={"Origin": server.url}).headers
                self.assertIn("default-src 'none'", headers["content-security-policy"])
                self.assertNotIn("unsafe", headers["content-security-policy"])
                self.assertEqual((headers["x-content-type-options"], headers["referrer-policy"]), ("nosniff", "no-referrer"))
                self.assertEqual(headers["cross-origin-resource-policy"], "same-origin")
                self.assertIsNone(headers["strict-transport-security"])
                self.assertIsNone(headers["access-control-allow-origin"])
                self.assertIsNone(headers["server"])
        self.assertEqual(server.request("TRACE", "/", token=READ).status, 405)
        self.assertEqual(server.request("GET", f"{API}/applications", token=READ, headers={"Origin": "https://evil.example"}).status, 403)

    def test_api10_a_storage_that_answers_nonsense_is_named_and_nothing_else_stalls(self):
        names = (("../../../etc/passwd", 10), ("app-1", 1 << 60), ("app-2", -5), ("a\nb", 5))
        files = [{"pathSuffix": name, "type": "FILE", "length": size, "modificationTime": 1} for name, size in names]
        listing = {"partialListing": {"FileStatuses": {"FileStatus": files}}, "remainingEntries": 0}

        def answer(request, _):
            if "op=OPEN" in request.path:  # leads to itself
                return 307, "", {"Location": f"http://127.0.0.1:{request.server.server_port}{request.path}"}
            return 200, json.dumps({"DirectoryListing": listing}), {}

        with answering(answer) as storage:
            logs = self.folder / "logs"
            logs.mkdir()
            (logs / "app-3").write_bytes(event_log("app-3"))
            with Collector(self.folder / "data", "--watch", f"webhdfs://{storage.removeprefix('http://')}/logs", "--watch", logs) as server:
                server.wait_for(lambda rows: [row["id"] for row in rows] == ["app-3"], "the log of the other folder")
                wait_until(lambda: server.folder()["unreadable"] == 1, "the file that cannot be read")
                state = server.folder()
                self.assertIn("redirects", " ".join(state["examples"]))
                self.assertEqual((state["files"], state["notListed"]), (1, 1), state)
