// SPDX-License-Identifier: Apache-2.0
#include "server/applications/answer_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

namespace sparkprof {
namespace {

HttpResponse Text(size_t size) { return MakeResponse(200, "text/plain", std::string(size, 'x')); }

TEST(AnswerCacheTest, MakesAnAnswerOnceForAllWhoAsk) {
  AnswerCache cache(1000);
  std::atomic<int> made = 0;
  std::latch begin(8);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      begin.arrive_and_wait();
      const HttpResponse response = cache.Get("a", [&] {
        ++made;
        return Text(10);
      });
      EXPECT_EQ(response.Body().size(), 10U);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 1);
}

TEST(AnswerCacheTest, DropsTheLeastRecentlyUsedBeyondItsBound) {
  AnswerCache cache(250);
  std::string made;
  const auto get = [&](const std::string& key) {
    cache.Get(key, [&] {
      made += key;
      return Text(99);
    });
  };
  get("a");
  get("b");
  get("a");
  get("c");  // drops b
  EXPECT_EQ(cache.Bytes(), 200U);
  get("a");
  get("b");
  EXPECT_EQ(made, "abcb");
}

TEST(AnswerCacheTest, AnswersButDoesNotKeepWhatIsLargerThanItsBound) {
  AnswerCache cache(100);
  EXPECT_EQ(cache.Get("a", [] { return Text(500); }).Body().size(), 500U);
  EXPECT_EQ(cache.Bytes(), 0U);
}

}  // namespace
}  // namespace sparkprof
