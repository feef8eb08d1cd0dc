// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <poll.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "base/testing/source_file.h"
#include "base/text/text.h"
#include "capture/testing/child_process.h"
#include "cpython/layout.h"
#include "cpython/ring/ring_reader.h"
#include "cpython/testing/pythons.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

const std::string kTorture = SourceFile("src/cpython/testing/torture.py");

const std::string kForking = SourceFile("src/cpython/testing/forking.py");

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

// CPU time, on all Pythons side by side; more in the slow set.
std::string TortureSeconds() {
  const char* seconds = std::getenv("SPARKPROF_TORTURE_SECONDS");
  return seconds == nullptr ? "15" : seconds;
}

// A Python that runs torture.py with the sampler in it at 1 kHz.
class Tortured {
 public:
  Tortured(const std::string& python, const std::string& ring)
      : python_(python),
        ring_(ring),
        child_({python, "-X", "faulthandler", kTorture, TortureSeconds(), SPARKPROF_PYSAMPLER, ring, "1000000"}) {}

  void Begin() {
    ASSERT_EQ(child_.ReadLine(), "ready");
    Result<RingReader> reader = RingReader::Open(ring_);
    ASSERT_TRUE(reader) << reader.error().message;
    reader_.emplace(std::move(*reader));
  }

  // Empties the ring and reads the program's output; false when it has exited.
  bool Drain() {
    if (!reader_ || done_) return false;
    pollfd output{child_.Output(), POLLIN, 0};
    if (poll(&output, 1, 50) > 0) {
      const std::string line = child_.ReadLine();
      const std::vector<std::string_view> fields = Split(line, ' ');
      if (fields.size() == 2) own_clock_ns_[ParseInteger(fields[0]).value_or(-1)] = ParseInteger(fields[1]).value_or(0);
      done_ = line == "done" || line.empty();
    }
    reader_->Drain(&content_);
    return true;
  }

  void Check() {
    ASSERT_TRUE(reader_);
    EXPECT_EQ(child_.Wait(), 0);
    reader_->Drain(&content_);
    std::printf("%s: %d samples, %d of them torn, %lld left out as torn, %lld unreadable, %lld dropped\n",
                python_.c_str(), content_.samples, content_.torn, static_cast<long long>(reader_->Torn()),
                static_cast<long long>(reader_->Unreadable()), static_cast<long long>(reader_->Dropped()));
    EXPECT_EQ(reader_->DamagedBytes(), 0);
    EXPECT_GT(content_.samples, 1000);
    EXPECT_LE(content_.torn, content_.samples / 10'000 + 1);
    EXPECT_GT(content_.deep, 20);
    EXPECT_EQ(content_.begun, (std::vector<int64_t>{100, 101, 102, 103}));
    EXPECT_EQ(content_.ended, content_.begun);
    EXPECT_EQ(own_clock_ns_.size(), 4u);
    if (reader_->Dropped() > 0) return;
    for (const auto& [task, cpu_ns] : own_clock_ns_) {
      EXPECT_NEAR(static_cast<double>(content_.cpu_ns[task]), static_cast<double>(cpu_ns),
                  0.05 * static_cast<double>(cpu_ns));
    }
  }

 private:
  const std::string python_;
  const std::string ring_;
  ChildProcess child_;
  std::optional<RingReader> reader_;
  RingContent content_;
  std::map<int64_t, int64_t> own_clock_ns_;
  bool done_ = false;
};

TEST(PySampler, WholeStacksAndEachTasksCpuTimeInEachPythonHere) {
  const std::vector<std::string> pythons = FindPythons();
  if (pythons.empty()) GTEST_SKIP() << "no CPython " SPARKPROF_PYTHON_VERSIONS " on this machine";
  const RingFolder folder;
  std::vector<std::unique_ptr<Tortured>> tortured;
  for (const std::string& python : pythons) {
    tortured.push_back(std::make_unique<Tortured>(python, folder.File(std::to_string(tortured.size()) + ".ring")));
  }
  for (const auto& one : tortured) one->Begin();
  for (bool runs = true; runs;) {
    runs = false;
    for (const auto& one : tortured) runs = one->Drain() || runs;
  }
  for (size_t i = 0; i < tortured.size(); ++i) {
    SCOPED_TRACE(pythons[i]);
    tortured[i]->Check();
  }
}

TEST(PySampler, AKilledProcessLeavesItsRing) {
  const std::vector<std::string> pythons = FindPythons();
  if (pythons.empty()) GTEST_SKIP() << "no CPython " SPARKPROF_PYTHON_VERSIONS " on this machine";
  const RingFolder folder;
  const std::string ring = folder.File("killed.ring");
  ChildProcess child({pythons.back(), kTorture, "600", SPARKPROF_PYSAMPLER, ring, "1000000"});
  ASSERT_EQ(child.ReadLine(), "ready");
  Result<RingReader> reader = RingReader::Open(ring);
  ASSERT_TRUE(reader) << reader.error().message;
  RingContent content;
  while (content.samples < 20) {
    pollfd output{child.Output(), POLLIN, 0};
    ASSERT_EQ(poll(&output, 1, 10), 0) << "it ended, or wrote: " << child.ReadLine();
    reader->Drain(&content);
  }
  child.Kill();
  reader->Drain(&content);
  EXPECT_EQ(reader->DamagedBytes(), 0);
  EXPECT_LE(content.torn, 1);
}

TEST(PySampler, PausesWhileItsReaderWantsNoSamplesAndLeavesOutThatTime) {
  const std::vector<std::string> pythons = FindPythons();
  if (pythons.empty()) GTEST_SKIP() << "no CPython " SPARKPROF_PYTHON_VERSIONS " on this machine";
  const RingFolder folder;
  const std::string ring = folder.File("paused.ring");
  ChildProcess child({pythons.back(), kTorture, "600", SPARKPROF_PYSAMPLER, ring, "1000000"});
  ASSERT_EQ(child.ReadLine(), "ready");
  Result<RingReader> reader = RingReader::Open(ring);
  ASSERT_TRUE(reader) << reader.error().message;
  clockid_t clock;
  ASSERT_EQ(clock_getcpuclockid(child.Pid(), &clock), 0);
  const auto cpu_ns = [clock] {
    timespec time{};
    clock_gettime(clock, &time);
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  };
  RingContent content;
  const auto drain_until = [&](const auto& is_over) {
    while (!is_over()) {
      pollfd output{child.Output(), POLLIN, 0};
      ASSERT_EQ(poll(&output, 1, 10), 0) << "it ended, or wrote: " << child.ReadLine();
      reader->Drain(&content);
    }
  };
  drain_until([&] { return content.samples >= 20; });
  reader->SetIntervalNs(0);
  // The sampler notices once a second of CPU time passes without a sample.
  int samples = -1;
  int64_t since_ns = 0;
  drain_until([&] {
    if (content.samples != samples) since_ns = cpu_ns();
    samples = content.samples;
    return cpu_ns() - since_ns > 1'000'000'000;
  });
  reader->SetIntervalNs(2'000'000);
  drain_until([&] { return content.samples >= samples + 20; });
  child.Kill();
  int64_t sampled_ns = 0;
  for (const auto& [task, task_cpu_ns] : content.cpu_ns) sampled_ns += task_cpu_ns;
  EXPECT_LT(sampled_ns, since_ns + 1'000'000'000) << "the pause counts";
}

// The stacks of native.py: names of functions of Python, and of libraries where the code is native; root first.
class NativeContent : public RingHandler {
 public:
  void OnCode(const RingCode& code, std::string_view function, std::string_view) override {
    names_[code.code] = function;
  }
  void OnNativeCode(const RingNativeCode& code, std::string_view path) override {
    names_[code.code] = "<" + std::string(path.substr(path.rfind('/') + 1)) + ">";
  }
  void OnSample(const RingSample& sample, const RingFrame* frames) override {
    std::string stack;
    for (int i = sample.frames - 1; i >= 0; --i) {
      const std::string part = names_[frames[i].code] + ";";
      if (!stack.ends_with(";" + part)) stack += part;
    }
    stacks[stack] += sample.cpu_ns;
    wall_stacks[stack] += sample.wall_ns;
  }
  void OnTaskBegin(const RingTaskBegin&) override {}
  void OnTaskEnd(const RingTaskEnd&) override {}
  void OnUdf(const RingUdf&, std::string_view, std::string_view) override {}
  void OnNotice(uint16_t, std::string_view text) override { notices.emplace_back(text); }

  // CPU time of the stacks that match, as a share of those that contain `of`.
  double Share(const std::string& of, const std::string& pattern) const { return Share(stacks, of, pattern); }
  // Likewise, of their time.
  double WallShare(const std::string& of, const std::string& pattern) const { return Share(wall_stacks, of, pattern); }

  std::map<std::string, int64_t> stacks, wall_stacks;
  std::vector<std::string> notices;

 private:
  static double Share(const std::map<std::string, int64_t>& weights, const std::string& of,
                      const std::string& pattern) {
    const std::regex wanted(pattern);
    int64_t all_ns = 0, found_ns = 0;
    for (const auto& [stack, weight_ns] : weights) {
      if (stack.find(of) == std::string::npos) continue;
      all_ns += weight_ns;
      if (std::regex_search(stack, wanted)) found_ns += weight_ns;
    }
    return static_cast<double>(found_ns) / static_cast<double>(std::max<int64_t>(all_ns, 1));
  }

  std::map<uint32_t, std::string> names_;
};

TEST(PySampler, NativeFramesAreBelowAndBetweenThePythonFramesThatCallThem) {
  const std::vector<std::string> pythons = FindPythons();
  if (pythons.empty()) GTEST_SKIP() << "no CPython " SPARKPROF_PYTHON_VERSIONS " on this machine";
  for (const std::string& python : pythons) {
    SCOPED_TRACE(python);
    const RingFolder folder;
    const std::string ring = folder.File("native.ring");
    ChildProcess child(
        {python, SourceFile("src/cpython/testing/native.py"), "3", SPARKPROF_PYSAMPLER, ring, "2000000"});
    ASSERT_EQ(child.ReadLine(), "ready");
    Result<RingReader> reader = RingReader::Open(ring);
    ASSERT_TRUE(reader) << reader.error().message;
    NativeContent content;
    // On a busy machine, the program takes long enough to fill the ring.
    for (pollfd output{child.Output(), POLLIN, 0}; poll(&output, 1, 100) == 0;) reader->Drain(&content);
    EXPECT_EQ(child.ReadLine(), "done");
    reader->Drain(&content);
    EXPECT_EQ(content.notices, std::vector<std::string>{});
    EXPECT_GT(content.Share("compress;", "compress;.*<libz\\.so"), 0.9);
    EXPECT_GT(content.Share("compare;", "order;.*<libc\\.so\\.6>;.*compare;"), 0.97);
    EXPECT_GT(content.WallShare("hold;", "hold;.*<libc\\.so\\.6>;"), 0.95) << "a thread that waits";
    std::printf("%s: %lld native stacks, %lld with unknown frames\n", python.c_str(),
                static_cast<long long>(reader->NativeStacks()), static_cast<long long>(reader->NativeUnknown()));
    EXPECT_GT(reader->NativeStacks(), 300);
    // A few samples fall into the start or the end of a call.
    EXPECT_LE(reader->NativeUnknown(), reader->NativeStacks() / 100);
    if (testing::Test::HasFailure()) {
      for (const auto& [stack, cpu_ns] : content.stacks) {
        if (cpu_ns > 20'000'000)
          std::printf("%6lld ms %s\n", static_cast<long long>(cpu_ns / 1'000'000), stack.c_str());
      }
    }
  }
}

// The program checks its own results for SPARKPROF_TORTURE_SECONDS.
TEST(PySampler, NativeSamplingDisturbsNoProgram) {
  const std::vector<std::string> pythons = FindPythons();
  if (pythons.empty()) GTEST_SKIP() << "no CPython " SPARKPROF_PYTHON_VERSIONS " on this machine";
  const RingFolder folder;
  const std::string ring = folder.File("stress.ring");
  ChildProcess child({pythons[pythons.size() / 2], SourceFile("src/cpython/testing/native_stress.py"), TortureSeconds(),
                      SPARKPROF_PYSAMPLER, ring, "1000000"});
  ASSERT_EQ(child.ReadLine(), "ready");
  Result<RingReader> reader = RingReader::Open(ring);
  ASSERT_TRUE(reader) << reader.error().message;
  NativeContent content;
  std::string line;
  while (line != "done") {
    pollfd output{child.Output(), POLLIN, 0};
    if (poll(&output, 1, 50) > 0) {
      line = child.ReadLine();
      std::printf("%s\n", line.c_str());
      if (line.empty()) break;
    }
    reader->Drain(&content);
  }
  EXPECT_EQ(child.Wait(), 0);
  EXPECT_EQ(content.notices, std::vector<std::string>{});
  std::printf("%lld native stacks, %lld with unknown frames, %lld dropped\n",
              static_cast<long long>(reader->NativeStacks()), static_cast<long long>(reader->NativeUnknown()),
              static_cast<long long>(reader->Dropped()));
  // A thread that waits for a CPU does not delay others: at a load of 11, there were at least 14,000 stacks in 8 s.
  EXPECT_GT(reader->NativeStacks(), 1000);
}

// Every Python, with little memory: an address space limit, forks without a warning, os._exit.
TEST(PySampler, ForkedChildrenHaveRingsOfTheirOwn) {
  const std::vector<std::string> pythons = FindPythons();
  if (pythons.empty()) GTEST_SKIP() << "no CPython " SPARKPROF_PYTHON_VERSIONS " on this machine";
  for (const std::string& python : pythons) {
    SCOPED_TRACE(python);
    const RingFolder folder;
    setenv("SPARKPROF_PYSAMPLER", SPARKPROF_PYSAMPLER, 1);
    setenv("SPARKPROF_RING_FOLDER", folder.File("").c_str(), 1);
    ChildProcess child({python, kForking, SourceFile("python")});
    std::vector<std::string> pids;  // the children, then the parent
    std::map<std::string, double> own_clock_ns;
    for (std::string line = child.ReadLine(); !line.empty(); line = child.ReadLine()) {
      const std::vector<std::string_view> fields = Split(line, ' ');
      ASSERT_EQ(fields.size(), 2u) << line;
      pids.emplace_back(fields[0]);
      own_clock_ns[pids.back()] = std::stod(std::string(fields[1]));
    }
    ASSERT_EQ(pids.size(), 3u);
    std::map<std::string, RingContent> rings;
    for (const auto& file : fs::directory_iterator(folder.File(""))) {
      if (file.path().extension() != kRingSuffix) continue;
      Result<RingReader> reader = RingReader::Open(file.path());
      ASSERT_TRUE(reader) << reader.error().message;
      reader->Drain(&rings[std::to_string(reader->Pid())]);
    }
    ASSERT_EQ(rings.size(), 3u);
    const RingContent& parent = rings[pids[2]];
    EXPECT_EQ(parent.udfs, std::vector<std::string>{"burn"});
    EXPECT_EQ(parent.ended, std::vector<int64_t>{7});
    EXPECT_NEAR(static_cast<double>(parent.cpu_ns.at(7)), own_clock_ns[pids[2]], 0.05e9);
    for (const size_t forked : {0, 1}) {
      const RingContent& content = rings[pids[forked]];
      EXPECT_EQ(content.begun, std::vector<int64_t>{7});  // it continues its parent's task
      EXPECT_NEAR(static_cast<double>(content.cpu_ns.at(7)), own_clock_ns[pids[forked]], 0.05e9);
    }
  }
}

}  // namespace
}  // namespace sparkprof
