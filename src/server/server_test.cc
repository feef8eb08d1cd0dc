// SPDX-License-Identifier: Apache-2.0
// What requests do to one another.
#include <future>
#include <vector>

#include "server/testing/collector.h"

namespace sparkprof {
namespace {

using ServerTest = CollectorTest;

TEST_F(ServerTest, PicturesDelayNoOtherRequest) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  SendApplication("app-1");
  std::promise<void> release, entered;
  const std::shared_future<void> released = release.get_future();
  std::atomic<int> drawing = 0;
  pictures_.before_flame = [&] {
    if (++drawing == 1) entered.set_value();
    released.wait();
  };
  std::vector<std::future<HttpResponse>> pictures;
  for (int i = 0; i < 20; ++i) {
    pictures.push_back(
        std::async(std::launch::async, [this] { return Get("/api/sparkprof/v1/applications/app-1/flame"); }));
  }
  entered.get_future().wait();
  for (const std::string path : {"/healthz", "/metrics", "/", "/assets/server.js", "/api/openapi.json",
                                 "/api/sparkprof/v1/applications", "/api/sparkprof/v1/groups/g/configuration"}) {
    EXPECT_EQ(Get(path).status, 200u) << path;
  }
  SendApplication("app-2");
  EXPECT_EQ(Send("PUT", "/api/sparkprof/v1/groups/g/configuration", R"({"configuration":{}})").status, 200u);
  EXPECT_LT(drawing, 20);
  release.set_value();
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
