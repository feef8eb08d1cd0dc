// SPDX-License-Identifier: Apache-2.0
#include "capture/hsperfdata.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "base/io/file.h"
#include "capture/testing/child_process.h"
#include "capture/testing/perf_data.h"

namespace sparkprof {
namespace {

std::string Example(bool little_endian) {
  return PerfDataBuilder(little_endian)
      .Number("sun.os.hrt.frequency", 1'000'000'000)
      .Text("sun.gc.collector.0.name", "G1 young collection pauses")
      .Number("sun.gc.collector.0.time", -7)
      .Build();
}

TEST(Hsperfdata, ReadsNumbersAndTextsInBothByteOrders) {
  for (const bool little_endian : {true, false}) {
    const std::string bytes = Example(little_endian);
    const auto data = ParseHsperfdata(bytes, "file");
    ASSERT_TRUE(data) << data.error().message;
    EXPECT_EQ(data->counters.size(), 3u);
    EXPECT_EQ(data->damaged_entries, 0u);
    EXPECT_EQ(data->Number("sun.os.hrt.frequency"), 1'000'000'000);
    EXPECT_EQ(data->Number("sun.gc.collector.0.time"), -7);
    EXPECT_EQ(data->Text("sun.gc.collector.0.name"), "G1 young collection pauses");
    EXPECT_EQ(data->Number("sun.gc.collector.0.name"), std::nullopt);
    EXPECT_EQ(data->Number("missing"), std::nullopt);
    EXPECT_EQ(data->Text("missing"), "");
  }
}

TEST(Hsperfdata, ACutFileGivesTheEntriesBeforeTheCut) {
  const std::string bytes = Example(true);
  for (size_t size = 0; size < bytes.size(); ++size) {
    const std::string cut = bytes.substr(0, size);
    const auto data = ParseHsperfdata(cut, "file");
    if (size < 32) {
      EXPECT_FALSE(data);
      continue;
    }
    ASSERT_TRUE(data);
    EXPECT_EQ(data->counters.size() + data->damaged_entries, 3u) << size;
    EXPECT_GT(data->damaged_entries, 0u) << size;
  }
}

TEST(Hsperfdata, SomethingElseIsRefusedWithItsPlace) {
  const auto refused = [](std::string bytes, size_t offset, char byte) {
    bytes[offset] = byte;
    const auto data = ParseHsperfdata(bytes, "the file");
    EXPECT_FALSE(data);
    return data ? std::string() : data.error().message;
  };
  EXPECT_NE(refused(Example(true), 0, 'x').find("the file: offset 0"), std::string::npos);
  EXPECT_NE(refused(Example(true), 5, 1).find("version 1"), std::string::npos);
  EXPECT_NE(refused(Example(true), 7, 0).find("not finished"), std::string::npos);
}

TEST(Hsperfdata, DamagedBytesNeverLeadOutside) {
  std::mt19937 random(1);
  const std::string good = Example(true);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = good;
    for (int change = 0; change < 3; ++change) bytes[8 + random() % (bytes.size() - 8)] = static_cast<char>(random());
    // A copy of exactly this size, so that a sanitizer sees every read outside.
    const std::vector<char> exact(bytes.begin(), bytes.end());
    const auto data = ParseHsperfdata({exact.data(), exact.size()}, "file");
    if (data) ReadJvmCounters(*data);
  }
}

TEST(Hsperfdata, ReadsARunningJvm) {
  ChildProcess version({"sh", "-c", "java -version 2>&1 | head -n 1"});
  if (version.ReadLine().find("version") == std::string::npos) GTEST_SKIP() << "no java on PATH";
  const std::filesystem::path source =
      std::filesystem::temp_directory_path() / ("Wait" + std::to_string(getpid()) + ".java");
  ASSERT_TRUE(WriteFile(source,
                        "class Wait { public static void main(String[] a) throws Exception {"
                        "System.gc(); System.out.println(\"ready\"); System.in.read(); Thread.sleep(60000); } }"));
  ChildProcess jvm({"java", "-Xmx64m", "-XX:TieredStopAtLevel=1", source});
  EXPECT_EQ(jvm.ReadLine(), "ready");
  const std::string path = FindHsperfdata(jvm.Pid());
  ASSERT_FALSE(path.empty());
  const auto bytes = ReadFile(path);
  ASSERT_TRUE(bytes);
  const auto data = ParseHsperfdata(*bytes, path);
  ASSERT_TRUE(data) << data.error().message;
  EXPECT_EQ(data->damaged_entries, 0u);
  EXPECT_GT(data->counters.size(), 100u);
  std::map<std::string, double> series;
  for (const CounterReading& reading : ReadJvmCounters(*data)) series[std::string(reading.name)] = reading.value;
  EXPECT_NEAR(series["jvm.heap_max_bytes"], 64 << 20, 1 << 20);
  EXPECT_GT(series["jvm.heap_used_bytes"], 0);
  EXPECT_GE(series["jvm.heap_committed_bytes"], series["jvm.heap_used_bytes"]);
  EXPECT_GE(series["jvm.gc_count"], 1);
  EXPECT_GT(series["jvm.gc_time_ns"], 0);
  EXPECT_GT(series["jvm.classes_loaded"], 100);
  EXPECT_GT(series["jvm.threads_live"], 1);
  std::filesystem::remove(source);
}

}  // namespace
}  // namespace sparkprof
