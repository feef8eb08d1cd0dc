// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The content of the page in Spark's UI, for each answer of a server. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class FindingsPageTest {
  static final String FINDINGS = "{\"verdict\":\"41.0 s, 51.0% of it in stage 0.0.\",\"findings\":["
      + "{\"severity\":\"high\",\"title\":\"Stage 0.0: Python takes 70%\",\"change\":\"Use a function of Spark\","
      + "\"folded\":false,\"saving\":\"0.3–2.2 min\",\"frames\":[\"f (job.py:7)\",\"g\"]},"
      + "{\"severity\":\"low\",\"title\":\"GC takes 2%\",\"change\":\"More memory\",\"folded\":true,"
      + "\"saving\":\"\",\"frames\":[]}]}";
  private static final String PAGE = "http://host/applications/app-1";
  private static final String LINK =
      "<p><a href=\"" + PAGE + "\">Open the report of this application on the collector</a></p>";

  private static String of(int status, String json) throws IOException {
    return FindingsPage.of(PAGE, new ServerClient.Answer(status, 0, new ObjectMapper().readTree(json)));
  }

  /** Answers each request for findings. */
  static HttpServer server(int status, String json) throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", exchange -> {
      boolean isAsked = exchange.getRequestURI().getPath().endsWith("/findings");
      byte[] answer = (isAsked ? json : "{}").getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(isAsked ? status : 404, answer.length);
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(answer);
      }
    });
    server.start();
    return server;
  }

  private static CollectorFindings findings(int port) {
    return new CollectorFindings(new ServerClient("http://127.0.0.1:" + port, () -> "token", null), "app 1", "2");
  }

  @Test
  void eachFindingHasSeverityTitleAdviceSavingAndLine() throws IOException {
    assertEquals("<p class=\"lead\">41.0 s, 51.0% of it in stage 0.0.</p>" + LINK
            + "<table class=\"table table-bordered table-sm table-striped\"><thead><tr><th>Severity</th>"
            + "<th>Finding</th><th>Could save</th><th>Line</th></tr></thead><tbody>"
            + "<tr><td>high</td><td>Stage 0.0: Python takes 70%<br/><small>Use a function of Spark</small></td>"
            + "<td class=\"text-nowrap\">0.3–2.2 min</td><td><code>f (job.py:7)</code></td></tr>"
            + "<tr><td>low</td><td>GC takes 2%</td><td class=\"text-nowrap\"></td><td></td></tr></tbody></table>",
        of(200, FINDINGS));
  }

  @Test
  void textOfTheJobIsNoMarkup() throws IOException {
    String evil = "<script>alert('1')</script>&\\\"";
    String json = "{\"verdict\":\"" + evil + "\",\"findings\":[{\"severity\":\"" + evil + "\",\"title\":\"" + evil
        + "\",\"change\":\"" + evil + "\",\"frames\":[\"" + evil + "\"]}]}";
    String html = of(200, json);
    assertFalse(html.contains("<script"), html);
    assertEquals(6, html.split("&lt;script&gt;alert\\(&#39;1&#39;\\)&lt;/script&gt;&amp;&quot;", -1).length, html);
    assertFalse(FindingsPage.without("http://h/\"><script>", "<b>").contains("<script>"));
  }

  @Test
  void aServerWithoutFindingsGivesASentenceAndTheLink() throws IOException {
    assertEquals("<p>The collector has no data of this application yet.</p>" + LINK, of(404, "{}"));
    assertEquals("<p>The collector refused the request: status 403 (the token&#39;s role does not allow this). "
            + "spark.sparkprof.ui.tokenFile can name a file with a token of the role read.</p>" + LINK,
        of(403, "{\"error\":{\"message\":\"the token's role does not allow this\"}}"));
    assertEquals("<p>Unexpected response of the collector: status 503 (busy)</p>" + LINK,
        of(503, "{\"error\":{\"message\":\"busy\"}}"));
    assertEquals("<p>Unexpected response of the collector: status 200</p>" + LINK,
        FindingsPage.of(PAGE, new ServerClient.Answer(200, 0, null)));
  }

  @Test
  void theServerIsAskedOnceForPagesThatFollowEachOther() throws IOException {
    HttpServer server = server(200, FINDINGS);
    CollectorFindings findings = findings(server.getAddress().getPort());
    String html = findings.html();
    assertTrue(html.contains("Python takes 70%"), html);
    assertTrue(html.contains("/applications/app%201?attempt=2\""), html);
    server.stop(0);
    assertEquals(html, findings.html());
  }

  @Test
  void aPageDoesNotWaitForASilentServer() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CollectorFindings findings = findings(silent.getLocalPort());
      long start = System.nanoTime();
      String html = findings.html();
      assertTrue(html.contains("The collector has not answered within 3 s."), html);
      assertTrue(findings.html().contains("has not answered"));
      assertTrue(System.nanoTime() - start < 4 * CollectorFindings.WAIT_MS * 1_000_000L);
      silent.setSoTimeout(500);
      try (Socket only = silent.accept()) {
        assertTrue(only.isConnected());
        assertThrows(SocketTimeoutException.class, silent::accept, "one request for both pages");
      }
    }
  }

  @Test
  void aServerThatIsNotThereGivesASentence() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    String html = findings(port).html();
    assertTrue(html.startsWith("<p>No answer from the collector: "), html);
  }

  @Test
  void anAttemptInTheHistoryServerIsTheEndOfItsAddress() {
    assertEquals("2", CollectorHistoryPlugin.attempt("/history/app-1/2", "app-1"));
    assertEquals("", CollectorHistoryPlugin.attempt("/history/app-1", "app-1"));
  }
}
