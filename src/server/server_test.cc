// SPDX-License-Identifier: Apache-2.0
// Interference between concurrent requests.
#include <algorithm>
#include <chrono>
#include <future>
#include <vector>

#include "server/testing/collector.h"

namespace sparkprof {
namespace {

using ServerTest = CollectorTest;

// An application whose pages take time to draw.
std::string LargeBlock() {
  Segment segment = ExampleSegment();
  segment.source.application_id = "app-1";
  const SegmentSample sample = segment.samples.front();
  for (int i = 0; i < 30'000; ++i) {
    const StringId name = segment.strings.Intern("method" + std::to_string(i));
    SegmentSample& added = segment.samples.emplace_back(sample);
    added.stack = segment.stacks.Push(sample.stack, segment.frames.Intern({.name = name}));
  }
  return EncodeBlock(segment);
}

TEST_F(ServerTest, PicturesDelayNoOtherRequest) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  ASSERT_EQ(Send("POST", "/api/sparkprof/v1/recordings", LargeBlock()).status, 200u);
  const std::string page = "/api/sparkprof/v1/applications/app-1/flame?format=html";
  ASSERT_EQ(Get(page).status, 200u);
  std::vector<std::future<HttpResponse>> pictures;
  for (int i = 0; i < 20; ++i) pictures.push_back(std::async(std::launch::async, [&] { return Get(page); }));
  for (const std::string path : {"/healthz", "/metrics", "/", "/assets/server.js", "/api/openapi.json",
                                 "/api/sparkprof/v1/applications", "/api/sparkprof/v1/groups/g/configuration"}) {
    EXPECT_EQ(Get(path).status, 200u) << path;
  }
  SendApplication("app-2");
  EXPECT_EQ(Send("PUT", "/api/sparkprof/v1/groups/g/configuration", R"({"configuration":{}})").status, 200u);
  const auto is_waiting = [](const std::future<HttpResponse>& picture) {
    return picture.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
  };
  EXPECT_TRUE(std::any_of(pictures.begin(), pictures.end(), is_waiting)) << "all were drawn before";
  for (std::future<HttpResponse>& picture : pictures) EXPECT_EQ(picture.get().status, 200u);
}

TEST_F(ServerTest, EveryAnswerForbidsOtherSitesToEmbedIt) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  SendApplication("app-1");
  for (const std::string path :
       {"/", "/assets/server.js", "/healthz", "/nothing", "/api/sparkprof/v1/applications/app-1/flame",
        "/api/sparkprof/v1/applications/app-1/report", "/api/v1/applications"}) {
    EXPECT_EQ(Get(path).Header("cross-origin-resource-policy"), "same-origin") << path;
  }
  EXPECT_EQ(Get("/", {{"origin", "https://other.example"}}).Header("cross-origin-resource-policy"), "same-origin");
}

}  // namespace
}  // namespace sparkprof
