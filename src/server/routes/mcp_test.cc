// SPDX-License-Identifier: Apache-2.0
// MCP tools over HTTP.
#include "server/testing/collector.h"

namespace sparkprof {
namespace {

class McpRouteTest : public CollectorTest {
 protected:
  std::string Ask(const std::string& method, const std::string& params = "{}", const HttpHeaders& headers = {}) {
    return Answer(Send("POST", "/mcp",
                       R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":)" + params + "}", headers));
  }
};

TEST_F(McpRouteTest, AnswersAboutTheCollectorsApplications) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  SendApplication("app-7");
  EXPECT_EQ(Ask("ping"), R"(200 {"jsonrpc":"2.0","id":1,"result":{}})");
  const std::string diagnosis = Ask("tools/call", R"({"name":"diagnose","arguments":{"application":"app-7"}})");
  EXPECT_TRUE(diagnosis.starts_with("200 ")) << diagnosis;
  EXPECT_NE(diagnosis.find("structuredContent"), std::string::npos) << diagnosis;
  EXPECT_NE(
      Ask("tools/call", R"({"name":"stacks","arguments":{"application":"app-7","event":"cpu"}})").find("Job.burn"),
      std::string::npos);
  EXPECT_NE(
      Ask("tools/call", R"({"name":"diagnose","arguments":{"application":"app-8"}})").find("no application «app-8»"),
      std::string::npos);
}

TEST_F(McpRouteTest, ACancelledCallOfASessionIsNotAnswered) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  SendApplication("app-7");
  const HttpResponse welcome = Send(
      "POST", "/mcp", R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}})");
  const std::string session(welcome.Header("mcp-session-id"));
  EXPECT_EQ(session.size(), 32u);
  const auto cancel = [&](const HttpHeaders& headers) {
    return Send("POST", "/mcp", R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})",
                headers)
        .status;
  };
  const std::string call = R"({"name":"diagnose","arguments":{"application":"app-7"}})";
  EXPECT_EQ(cancel({{"mcp-session-id", "another"}}), 202u);
  EXPECT_NE(Ask("tools/call", call, {{"mcp-session-id", session}}).find("structuredContent"), std::string::npos);
  EXPECT_EQ(cancel({{"mcp-session-id", session}}), 202u);
  EXPECT_EQ(Ask("tools/call", call, {{"mcp-session-id", session}}),
            R"(200 {"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"the call was cancelled"}})");
}

TEST_F(McpRouteTest, NotificationsAreAcceptedAndOtherMethodsAreNot) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  EXPECT_EQ(Send("POST", "/mcp", R"({"jsonrpc":"2.0","method":"notifications/initialized"})").status, 202u);
  EXPECT_EQ(Send("POST", "/mcp", "{").status, 400u);
  EXPECT_EQ(Get("/mcp").status, 405u);
  EXPECT_EQ(Ask("ping", "{}", {{"mcp-protocol-version", "2025-06-18"}}).substr(0, 3), "200");
  EXPECT_EQ(Ask("ping", "{}", {{"mcp-protocol-version", "1999-01-01"}}).substr(0, 3), "400");
  EXPECT_EQ(Ask("ping", "{}", {{"origin", "http://other.example"}}).substr(0, 3), "403");
}

}  // namespace
}  // namespace sparkprof
