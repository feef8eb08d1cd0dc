// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "capture/cpython/testing/pythons.h"
#include "capture/python_ring/ring_reader.h"
#include "capture/testing/child_process.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

const char kTorture[] = SPARKPROF_SOURCE_DIR "/src/capture/cpython/testing/torture.py";

const char kForking[] = SPARKPROF_SOURCE_DIR "/src/capture/cpython/testing/forking.py";

class RingContent : public RingHandler {
 public:
  void OnCode(const RingCode& code, std::string_view function, std::string_view) override {
    functions_[code.code] = function;
  }
  void OnSample(const RingSample& sample, const RingFrame* frames) override {
    std::vector<std::string> names;
    for (int i = sample.frames - 1; i >= 0; --i) names.push_back(functions_[frames[i].code]);
    ++samples;
    torn += IsWholeTortureStack(names) ? 0 : 1;
    deep += names.size() > 15 ? 1 : 0;
    cpu_ns[sample.task] += sample.cpu_ns;
  }
  void OnTaskBegin(const RingTaskBegin& begin) override { begun.push_back(begin.task); }
  void OnTaskEnd(const RingTaskEnd& end) override { ended.push_back(end.task); }
  void OnUdf(const RingUdf&, std::string_view function, std::string_view) override { udfs.emplace_back(function); }
  void OnNotice(uint16_t, std::string_view) override {}

  int samples = 0, torn = 0, deep = 0;
  std::map<int64_t, int64_t> cpu_ns;  // by task
  std::vector<int64_t> begun, ended;
  std::vector<std::string> udfs;

 private:
  std::map<uint32_t, std::string> functions_;
};

class RingFolder {
 public:
  RingFolder() : path_(fs::path(testing::TempDir()) / ("pysampler-" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  ~RingFolder() { fs::remove_all(path_); }
  std::string File(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

// The quick part of the torture test: a few seconds for each Python; SPARKPROF_TORTURE_SECONDS makes it longer.
std::string TortureSeconds() {
  const char* seconds = std::getenv("SPARKPROF_TORTURE_SECONDS");
  return seconds == nullptr ? "4" : seconds;
}

TEST(PySampler, WholeStacksAndEachTasksCpuTimeInEachPythonHere) {
  const std::vector<std::string> pythons = FindPythons();
  if (pythons.empty()) GTEST_SKIP() << "no CPython 3.9 to 3.14 on this machine";
  const RingFolder folder;
  int samples = 0, torn = 0;
  for (const std::string& python : pythons) {
    SCOPED_TRACE(python);
    const std::string ring = folder.File(std::to_string(samples) + ".ring");
    ChildProcess child(
        {python, "-X", "faulthandler", kTorture, TortureSeconds(), SPARKPROF_PYSAMPLER, ring, "1000000"});
    ASSERT_EQ(child.ReadLine(), "ready");
    std::map<int64_t, int64_t> own_clock_ns;
    RingContent content;
    Result<RingReader> reader = RingReader::Open(ring);
    ASSERT_TRUE(reader) << reader.error().message;
    for (std::string line = child.ReadLine(); line != "done" && !line.empty(); line = child.ReadLine()) {
      const std::vector<std::string_view> fields = Split(line, ' ');
      ASSERT_EQ(fields.size(), 2u) << line;
      own_clock_ns[*ParseInteger(fields[0])] = *ParseInteger(fields[1]);
    }
    EXPECT_EQ(child.Wait(), 0);
    reader->Drain(&content);
    EXPECT_EQ(reader->DamagedBytes(), 0);
    EXPECT_EQ(reader->Pid(), child.Pid() < 0 ? reader->Pid() : child.Pid());
    EXPECT_GT(content.deep, 20);
    EXPECT_EQ(content.begun, (std::vector<int64_t>{100, 101, 102, 103}));
    EXPECT_EQ(content.ended, content.begun);
    ASSERT_EQ(own_clock_ns.size(), 4u);
    if (reader->Dropped() == 0) {
      for (const auto& [task, cpu_ns] : own_clock_ns) {
        EXPECT_NEAR(static_cast<double>(content.cpu_ns[task]), static_cast<double>(cpu_ns),
                    0.05 * static_cast<double>(cpu_ns));
      }
    }
    samples += content.samples;
    torn += content.torn;
  }
  EXPECT_GT(samples, 1000);
  EXPECT_LE(torn, samples / 10'000 + 1);
}

TEST(PySampler, AKilledProcessLeavesItsRing) {
  const std::vector<std::string> pythons = FindPythons();
  if (pythons.empty()) GTEST_SKIP() << "no CPython 3.9 to 3.14 on this machine";
  const RingFolder folder;
  const std::string ring = folder.File("killed.ring");
  ChildProcess child({pythons.back(), kTorture, "600", SPARKPROF_PYSAMPLER, ring, "1000000"});
  ASSERT_EQ(child.ReadLine(), "ready");
  Result<RingReader> reader = RingReader::Open(ring);
  ASSERT_TRUE(reader) << reader.error().message;
  RingContent content;
  while (content.samples < 20) reader->Drain(&content);
  child.Kill();
  reader->Drain(&content);
  EXPECT_EQ(reader->DamagedBytes(), 0);
  EXPECT_LE(content.torn, 1);
}

// In little memory, on every Python: its own limit of addresses, forks without a warning, os._exit.
TEST(PySampler, ForkedChildrenHaveRingsOfTheirOwn) {
  const std::vector<std::string> pythons = FindPythons();
  if (pythons.empty()) GTEST_SKIP() << "no CPython 3.9 to 3.14 on this machine";
  for (const std::string& python : pythons) {
    SCOPED_TRACE(python);
    const RingFolder folder;
    setenv("SPARKPROF_PYSAMPLER", SPARKPROF_PYSAMPLER, 1);
    setenv("SPARKPROF_RING_FOLDER", folder.File("").c_str(), 1);
    ChildProcess child({python, kForking, SPARKPROF_SOURCE_DIR "/python"});
    const std::string line = child.ReadLine();
    const std::vector<std::string_view> pids = Split(line, ' ');
    ASSERT_EQ(pids.size(), 3u) << line;
    std::map<std::string, RingContent> rings;
    for (const auto& file : fs::directory_iterator(folder.File(""))) {
      if (file.path().extension() != kRingSuffix) continue;
      Result<RingReader> reader = RingReader::Open(file.path());
      ASSERT_TRUE(reader) << reader.error().message;
      reader->Drain(&rings[std::to_string(reader->Pid())]);
    }
    ASSERT_EQ(rings.size(), 3u);
    const RingContent& parent = rings[std::string(pids[0])];
    EXPECT_EQ(parent.udfs, std::vector<std::string>{"burn"});
    EXPECT_EQ(parent.ended, std::vector<int64_t>{7});
    EXPECT_NEAR(static_cast<double>(parent.cpu_ns.at(7)), 0.4e9, 0.1e9);
    for (const size_t forked : {1, 2}) {
      const RingContent& content = rings[std::string(pids[forked])];
      EXPECT_EQ(content.begun, std::vector<int64_t>{7});  // it goes on with its parent's task
      EXPECT_NEAR(static_cast<double>(content.cpu_ns.at(7)), 0.3e9, 0.05e9);
    }
  }
}

}  // namespace
}  // namespace sparkprof
