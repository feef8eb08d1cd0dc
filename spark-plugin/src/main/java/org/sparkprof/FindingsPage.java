// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import com.fasterxml.jackson.databind.JsonNode;

/** HTML of a page in Spark's UI. Nothing in it but links leads to another host, and all text of others is escaped. */
final class FindingsPage {
  private FindingsPage() {}

  /**
   * @param page the address of the application's page on the server
   * @param answer what the server answered about its findings
   */
  static String of(String page, ServerClient.Answer answer) {
    if (answer.status == 404) {
      return without(page, "The collector has no data of this application yet.");
    }
    if (answer.status == 401 || answer.status == 403) {
      return without(page,
          "The collector refused the request: " + answer.text()
              + ". spark.sparkprof.ui.tokenFile can name a file with a token of the role read.");
    }
    JsonNode findings = answer.json == null ? null : answer.json.get("findings");
    if (answer.status != 200 || findings == null || !findings.isArray()) {
      return without(page, "Unexpected response of the collector: " + answer.text());
    }
    StringBuilder html = new StringBuilder();
    html.append("<p class=\"lead\">").append(escaped(answer.json.path("verdict").asText())).append("</p>");
    html.append(link(page));
    if (findings.size() > 0) {
      html.append("<table class=\"table table-bordered table-sm table-striped\"><thead><tr><th>Severity</th>")
          .append("<th>Finding</th><th>Could save</th><th>Line</th></tr></thead><tbody>");
      findings.forEach(finding -> addRow(finding, html));
      html.append("</tbody></table>");
    }
    return html.toString();
  }

  /** @param reason a sentence */
  static String without(String page, String reason) {
    return "<p>" + escaped(reason) + "</p>" + link(page);
  }

  private static void addRow(JsonNode finding, StringBuilder html) {
    html.append("<tr><td>").append(escaped(finding.path("severity").asText())).append("</td><td>");
    html.append(escaped(finding.path("title").asText()));
    if (!finding.path("folded").asBoolean()) {
      html.append("<br/><small>").append(escaped(finding.path("change").asText())).append("</small>");
    }
    html.append("</td><td class=\"text-nowrap\">").append(escaped(finding.path("saving").asText()));
    html.append("</td><td>");
    String line = finding.path("frames").path(0).asText();
    if (!line.isEmpty()) {
      html.append("<code>").append(escaped(line)).append("</code>");
    }
    html.append("</td></tr>");
  }

  private static String link(String page) {
    return "<p><a href=\"" + escaped(page) + "\">Open the report of this application on the collector</a></p>";
  }

  private static String escaped(String text) {
    StringBuilder html = new StringBuilder();
    for (char c : text.toCharArray()) {
      switch (c) {
        case '&':
          html.append("&amp;");
          break;
        case '<':
          html.append("&lt;");
          break;
        case '>':
          html.append("&gt;");
          break;
        case '"':
          html.append("&quot;");
          break;
        case '\'':
          html.append("&#39;");
          break;
        default:
          html.append(c);
      }
    }
    return html.toString();
  }
}
