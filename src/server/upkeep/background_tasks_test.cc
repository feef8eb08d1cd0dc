// SPDX-License-Identifier: Apache-2.0
// Background threads continue after running out of memory, and /healthz names the failing one.
#include <sys/prctl.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <new>

#include "server/testing/collector.h"

namespace {

// Name of the thread whose allocations fail, as in the kernel; null = none.
std::atomic<const char*> failing_thread = nullptr;

bool IsFailing() {
  const char* const failing = failing_thread;
  if (failing == nullptr) return false;
  char name[16] = {};
  prctl(PR_GET_NAME, name);
  return std::strcmp(name, failing) == 0;
}

void* Allocate(size_t size) {
  void* const memory = IsFailing() ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(size_t size) { return Allocate(size); }
void* operator new[](size_t size) { return Allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }

namespace sparkprof {
namespace {

class BackgroundTasksTest : public CollectorTest {
 protected:
  void TearDown() override {
    failing_thread = nullptr;
    CollectorTest::TearDown();
  }

  static bool Until(const std::function<bool()>& condition) {
    for (int round = 0; round < 3000; ++round) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  std::string Health() { return Answer("/healthz"); }
  // True if /healthz reports the task as failing.
  bool IsFailing(const std::string& task) {
    const std::string health = Health();
    const bool is_listed =
        health.find(R"({"name":")" + task + R"(","status":"failing","failures":)") != std::string::npos;
    if (is_listed) {
      EXPECT_EQ(health.substr(0, 4), "503 ");
      EXPECT_NE(health.find(task + ": failed since "), std::string::npos) << health;
      EXPECT_NE(health.find("out of memory"), std::string::npos) << health;
    }
    return is_listed;
  }
  bool IsOk() { return Health().starts_with("200 "); }
};

TEST_F(BackgroundTasksTest, ACataloguerWithoutMemoryGoesOn) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  ASSERT_TRUE(Until([&] { return IsOk(); }));
  failing_thread = "cataloguer";
  SendApplication("app-1");
  EXPECT_TRUE(Until([&] { return IsFailing("cataloguer"); })) << Health();
  failing_thread = nullptr;
  EXPECT_TRUE(Until([&] { return Answer("/api/sparkprof/v1/applications").find("app-1") != std::string::npos; }));
  EXPECT_TRUE(Until([&] { return IsOk(); })) << Health();
  EXPECT_NE(std::string(Get("/metrics").Body()).find("sparkprof_task_failures_total"), std::string::npos);
}

TEST_F(BackgroundTasksTest, AWatcherWithoutMemoryGoesOn) {
  const std::string folder = Path("watched");
  std::filesystem::create_directories(folder);
  ServerOptions options;
  options.watched = {folder};
  options.scan_interval = std::chrono::milliseconds(20);
  const std::string task = "watcher of " + folder, name = task.substr(0, 15);
  failing_thread = name.c_str();
  if (!Start({}, std::move(options))) GTEST_SKIP() << "no DuckDB";
  EXPECT_TRUE(Until([&] { return IsFailing(task); })) << Health();
  failing_thread = nullptr;
  EXPECT_TRUE(Until([&] { return IsOk(); })) << Health();
}

TEST_F(BackgroundTasksTest, AScanOfTheStoreWithoutMemoryIsRepeated) {
  failing_thread = "scan of the sto";
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  EXPECT_TRUE(Until([&] { return IsFailing("scan of the store"); })) << Health();
  failing_thread = nullptr;
  EXPECT_TRUE(Until([&] { return IsOk(); })) << Health();
}

TEST_F(BackgroundTasksTest, RetentionWithoutMemoryGoesOn) {
  ServerOptions options;
  options.retention.remove_after_ns = 1;
  options.log = [](const std::string&) {};
  failing_thread = "retention";
  if (!Start({}, std::move(options))) GTEST_SKIP() << "no DuckDB";
  EXPECT_TRUE(Until([&] { return IsFailing("retention"); })) << Health();
}

TEST_F(BackgroundTasksTest, NotificationsWithoutMemoryGoOn) {
  ServerOptions options;
  options.notifications.webhook = *ParseUrl("http://127.0.0.1:1/");
  options.log = [](const std::string&) {};
  failing_thread = "notifications";
  if (!Start({}, std::move(options))) GTEST_SKIP() << "no DuckDB";
  Segment segment = ExampleSegment();
  segment.source.application_id = "app-1";
  segment.spark_events = {R"({"Event":"SparkListenerApplicationEnd","Timestamp":1700000009000})"};
  EXPECT_EQ(Send("POST", "/api/sparkprof/v1/recordings", EncodeBlock(segment)).status, 200u);
  EXPECT_TRUE(Until([&] { return IsFailing("notifications"); })) << Health();
}

}  // namespace
}  // namespace sparkprof
