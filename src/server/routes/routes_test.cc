// SPDX-License-Identifier: Apache-2.0
#include "server/routes/routes.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include "base/text.h"
#include "server/openapi_document.h"

namespace sparkprof {
namespace {

FoundRoute Find(std::string_view method, std::string_view target) {
  HttpRequest request;
  request.method = method;
  EXPECT_TRUE(ParseTarget(target, &request));
  return FindRoute(request);
}

TEST(RoutesTest, CapturesDecodedSegments) {
  const FoundRoute found = Find("GET", "/api/sparkprof/v1/groups/a%2Fb/flame?event=cpu");
  ASSERT_NE(found.route, nullptr);
  EXPECT_EQ(found.captured, std::vector<std::string>{"a/b"});
}

TEST(RoutesTest, TellsAWrongMethodFromAWrongPath) {
  EXPECT_EQ(Find("DELETE", "/api/sparkprof/v1/applications").route, nullptr);
  EXPECT_TRUE(Find("DELETE", "/api/sparkprof/v1/applications").path_exists);
  EXPECT_FALSE(Find("GET", "/api/sparkprof/v2/applications").path_exists);
}

TEST(RoutesTest, OnlyPagesAndHealthAreOpenToEverybody) {
  for (const Route& route : Routes()) {
    if (route.role != Role::kNone) continue;
    EXPECT_FALSE(route.path.starts_with("/api/sparkprof")) << route.path;
  }
}

// Paths of the API as the document writes them: "/groups/{}/flame".
std::string WithBraces(std::string_view path) {
  std::string text;
  for (const char c : path) text += c == '*' ? std::string("{}") : std::string(1, c);
  return text;
}

TEST(RoutesTest, TheOpenApiDocumentDescribesTheWholeApi) {
  simdjson::dom::parser parser;
  simdjson::dom::object paths;
  ASSERT_EQ(parser.parse(simdjson::padded_string(OpenApiDocument()))["paths"].get(paths), simdjson::SUCCESS);
  std::set<std::string> described;
  for (const auto& [path, operations] : paths) {
    std::string text;
    bool in_braces = false;
    for (const char c : path) {
      if (c == '}') in_braces = false;
      if (!in_braces) text += c;
      if (c == '{') in_braces = true;
    }
    for (const auto& [method, operation] : operations.get_object()) {
      described.insert((method == "get" ? "GET " : method == "put" ? "PUT " : "POST ") + text);
    }
  }
  for (const Route& route : Routes()) {
    if (!route.path.starts_with("/api")) continue;
    EXPECT_TRUE(described.contains(std::string(route.method) + " " + WithBraces(route.path))) << route.path;
  }
}

}  // namespace
}  // namespace sparkprof
