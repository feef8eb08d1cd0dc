// SPDX-License-Identifier: Apache-2.0
#include "server/shared/block_objects.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "base/testing/folder_test.h"
#include "server/shared/counted_storage.h"
#include "storage/storages.h"

namespace sparkprof {
namespace {

constexpr std::chrono::milliseconds kRemoteInterval{1'000};
constexpr int kFaster = 20;  // faster than with a remote store
constexpr int kJvms = 100, kBlocks = 20;
constexpr double kPutsPerJvmHour = 60;

class BlockObjectWriterTest : public FolderTest {};

TEST_F(BlockObjectWriterTest, AHundredJvmsCostOnePutPerMinuteEach) {
  CountedStorage storage(OpenLocalStorage(folder_, {}));
  ASSERT_TRUE(MakeFoldersOfStore(&storage));
  SharedLog log(&storage, "a");
  log.SetListener([](uint64_t, std::string_view) {});
  const auto begin = std::chrono::steady_clock::now();
  {
    BlockObjectWriter writer(&storage, &log, {.node = "a", .interval = kRemoteInterval / kFaster}, [](auto&&...) {});
    std::vector<std::thread> jvms;
    for (int jvm = 0; jvm < kJvms; ++jvm) {
      jvms.emplace_back([&] {
        for (int block = 0; block < kBlocks; ++block) {
          EXPECT_TRUE(writer.Write({{.entry = "app-1", .blocks = "block"}}));
        }
      });
    }
    for (std::thread& jvm : jvms) jvm.join();
  }
  const std::chrono::duration<double, std::ratio<3600>> hours = std::chrono::steady_clock::now() - begin;
  EXPECT_LE(static_cast<double>(storage.creates) / (hours.count() * kFaster * kJvms), kPutsPerJvmHour);
  EXPECT_EQ(storage.lists, 0U);
}

}  // namespace
}  // namespace sparkprof
