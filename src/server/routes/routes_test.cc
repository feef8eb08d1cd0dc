// SPDX-License-Identifier: Apache-2.0
#include "server/routes/routes.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <cctype>

#include "base/text/text.h"
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
  EXPECT_EQ(Find("DELETE", "/api/sparkprof/v1/applications").allowed, "GET");
  EXPECT_EQ(Find("GET", "/api/sparkprof/v2/applications").allowed, "");
}

TEST(RoutesTest, OnlyPagesAndHealthAreOpenToEverybody) {
  for (const Route& route : Routes()) {
    if (route.role != Role::kNone) continue;
    EXPECT_FALSE(route.path.starts_with("/api/sparkprof")) << route.path;
  }
}

TEST(RoutesTest, CapturesAnyNumberOfFurtherSegments) {
  EXPECT_EQ(Find("GET", "/api/v1/applications/app-1").captured, std::vector<std::string>{"app-1"});
  EXPECT_EQ(Find("GET", "/api/v1/applications/app-1/2/stages/3").captured,
            (std::vector<std::string>{"app-1", "2", "stages", "3"}));
  EXPECT_TRUE(Find("GET", "/api/v1/applications").captured.empty());
}

TEST(RoutesTest, QueriesOfGrafanaMayHaveAnyPrefix) {
  for (const std::string prefix : {"", "/profiles", "/a/b"}) {
    const FoundRoute found = Find("POST", prefix + "/querier.v1.QuerierService/LabelNames");
    ASSERT_NE(found.route, nullptr) << prefix;
    EXPECT_EQ(found.captured, std::vector<std::string>{"LabelNames"});
    EXPECT_EQ(found.route->role, Role::kRead);
    EXPECT_NE(Find("GET", prefix + "/pyroscope/render-diff").route, nullptr);
  }
  EXPECT_EQ(Find("POST", "/querier.v1.QuerierService").route, nullptr);
  EXPECT_EQ(Find("POST", "/querier.v1.QuerierService/a/b").route, nullptr);
}

// Paths of the API as the document writes them: "/groups/{}/flame".
std::string WithBraces(std::string_view path) {
  if (path.ends_with("**")) path.remove_suffix(1);
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
      std::string name(method);
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
      described.insert(name + " " + text);
    }
  }
  for (const Route& route : Routes()) {
    if (!route.path.starts_with("/api")) continue;
    EXPECT_TRUE(described.contains(std::string(route.method) + " " + WithBraces(route.path))) << route.path;
  }
}

}  // namespace
}  // namespace sparkprof
