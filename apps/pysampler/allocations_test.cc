// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "allocation_sampler.h"
#include "base/io/file.h"
#include "base/testing/source_file.h"
#include "base/text/text.h"
#include "capture/testing/child_process.h"
#include "cpython/layout.h"
#include "cpython/ring/ring_reader.h"
#include "cpython/testing/pythons.h"
#include "own_python.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

// Bytes by function, each with its functions on the stack.
class AllocationContent : public RingHandler {
 public:
  struct Bytes {
    double allocated = 0, allocated_variance = 0;
    double held = 0, held_variance = 0;
    double largest_weight = 0;  // largest weight above the size of its block
  };

  void OnCode(const RingCode& code, std::string_view function, std::string_view) override {
    functions_[code.code] = function;
  }
  void OnSample(const RingSample&, const RingFrame*) override {}
  void OnTaskBegin(const RingTaskBegin&) override {}
  void OnTaskEnd(const RingTaskEnd&) override {}
  void OnUdf(const RingUdf&, std::string_view, std::string_view) override {}
  void OnNotice(uint16_t, std::string_view text) override { notices.emplace_back(text); }
  void OnAllocation(const RingAllocation& allocation, const RingFrame* frames) override {
    ++samples;
    without_stack += allocation.frames == 0 ? 1 : 0;
    Block block{static_cast<double>(allocation.weight), 0, {}};
    block.variance = block.weight * (block.weight - static_cast<double>(allocation.bytes));
    for (int i = 0; i < allocation.frames; ++i) block.functions.insert(functions_[frames[i].code]);
    for (const std::string& function : block.functions) {
      Bytes& of_function = bytes[function];
      of_function.allocated += block.weight;
      of_function.allocated_variance += block.variance;
      of_function.held += block.weight;
      of_function.held_variance += block.variance;
      if (block.variance > 0) of_function.largest_weight = std::max(of_function.largest_weight, block.weight);
    }
    blocks_[allocation.number] = block;
  }
  void OnRelease(const RingRelease& release) override {
    const Block& block = blocks_.at(release.number);
    for (const std::string& function : block.functions) {
      bytes[function].held -= block.weight;
      bytes[function].held_variance -= block.variance;
    }
    blocks_.erase(release.number);
  }

  // Adds what another process did.
  void Add(const AllocationContent& other) {
    for (const auto& [function, of_other] : other.bytes) {
      Bytes& of_function = bytes[function];
      of_function.allocated += of_other.allocated;
      of_function.allocated_variance += of_other.allocated_variance;
      of_function.held += of_other.held;
      of_function.held_variance += of_other.held_variance;
      of_function.largest_weight = std::max(of_function.largest_weight, of_other.largest_weight);
    }
    notices.insert(notices.end(), other.notices.begin(), other.notices.end());
    samples += other.samples;
    without_stack += other.without_stack;
  }

  std::map<std::string, Bytes> bytes;
  std::vector<std::string> notices;
  int samples = 0, without_stack = 0;

 private:
  struct Block {
    double weight, variance;
    std::set<std::string> functions;
  };
  std::map<uint32_t, std::string> functions_;
  std::map<uint64_t, Block> blocks_;
};

struct Ring {
  RingReader reader;
  AllocationContent content;
};

struct Planted {
  double allocated = 0, held = 0;
};

class AllocationsTest : public ::testing::Test {
 protected:
  AllocationsTest() : folder_(fs::path(testing::TempDir()) / ("allocations-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    setenv("SPARKPROF_PYSAMPLER", SPARKPROF_PYSAMPLER, 1);
    setenv("SPARKPROF_RING_FOLDER", folder_.c_str(), 1);
  }
  ~AllocationsTest() override { fs::remove_all(folder_); }

  // Runs allocating.py until it has done everything, and kills it.
  void Run(const std::string& python, bool small) {
    for (const auto& file : fs::directory_iterator(folder_)) fs::remove(file.path());
    const std::string settings =
        "{\"alloc_interval_bytes\": 65536, \"alloc_small\": " + std::string(small ? "true" : "false") + "}";
    ASSERT_TRUE(WriteFile((folder_ / "settings.json").string(), settings));
    content_ = {};
    planted_.clear();
    checked_ = {};
    planted_bytes_ = 0;
    ChildProcess child(
        {python, "-X", "faulthandler", SourceFile("src/cpython/testing/allocating.py"), SourceFile("python")});
    ASSERT_EQ(child.ReadLine(), "ready");
    // The program has one, and the process that it forks.
    std::map<fs::path, Ring> rings;
    const auto drain = [&] {
      for (const auto& file : fs::directory_iterator(folder_)) {
        if (file.path().extension() != kRingSuffix || rings.contains(file.path())) continue;
        Result<RingReader> opened = RingReader::Open(file.path());
        if (opened) rings.try_emplace(file.path(), Ring{std::move(*opened), {}});
      }
      for (auto& [path, ring] : rings) ring.reader.Drain(&ring.content);
    };
    for (std::string line; line != "done";) {
      pollfd output{child.Output(), POLLIN, 0};
      if (poll(&output, 1, 10) > 0) {
        line = child.ReadLine();
        ASSERT_FALSE(line.empty()) << "it ended";
        const std::vector<std::string_view> fields = Split(line, ' ');
        if (fields.size() == 3) {
          planted_[std::string(fields[0])] = {std::stod(std::string(fields[1])), std::stod(std::string(fields[2]))};
        }
      }
      drain();
    }
    child.Kill();
    drain();
    EXPECT_EQ(rings.size(), 2u);
    for (auto& [path, ring] : rings) {
      EXPECT_EQ(ring.reader.DamagedBytes(), 0);
      EXPECT_EQ(ring.reader.Dropped(), 0);
      content_.Add(ring.content);
    }
    EXPECT_EQ(content_.notices, std::vector<std::string>{});
    EXPECT_LE(content_.without_stack, content_.samples / 100);
    std::printf("%s: %d samples\n", python.c_str(), content_.samples);
  }

  void RunStress(const std::string& python, const std::string& small, const std::string& environment, double seconds) {
    SCOPED_TRACE(python + " small=" + small + " " + environment);
    for (const auto& file : fs::directory_iterator(folder_)) fs::remove(file.path());
    // A sample every few allocations, whatever it costs.
    const std::string settings =
        "{\"alloc_interval_bytes\": 1024, \"alloc_budget_ns\": 1000000000, \"alloc_small\": " + small + "}";
    ASSERT_TRUE(WriteFile((folder_ / "settings.json").string(), settings));
    ChildProcess child({"env", environment, python, SourceFile("src/cpython/testing/allocation_stress.py"),
                        SourceFile("python"), std::to_string(seconds)});
    ASSERT_EQ(child.ReadLine(), "ready");
    std::optional<RingReader> reader;
    AllocationContent content;
    for (bool is_running = true; is_running;) {
      pollfd output{child.Output(), POLLIN, 0};
      is_running = poll(&output, 1, 10) == 0;
      for (const auto& file : fs::directory_iterator(folder_)) {
        if (file.path().extension() != kRingSuffix) continue;
        if (file.path().filename().string().starts_with(std::to_string(child.Pid()) + "-")) {
          if (!reader) reader.emplace(RingReader::Open(file.path()).value());
        } else {
          // A forked process wrote it.
          fs::remove(file.path());
        }
      }
      ASSERT_TRUE(reader);
      reader->Drain(&content);
    }
    EXPECT_EQ(child.ReadLine(), "done");
    EXPECT_EQ(child.Wait(), 0);
    EXPECT_EQ(reader->DamagedBytes(), 0);
    EXPECT_EQ(content.notices, std::vector<std::string>{});
    EXPECT_GT(content.samples, 1000);
    // An interpreter that is made or removed allocates without a stack.
    EXPECT_LE(content.without_stack, content.samples / 4);
    std::printf("%s small=%s %s: %.1f s, %d samples, %d without a stack\n", python.c_str(), small.c_str(),
                environment.c_str(), seconds, content.samples, content.without_stack);
  }

  // Allows four standard errors: with three, one of a hundred checks fails every few runs. A sum that is too low also
  // has a low estimate of its variance, so the variance is at least that of the largest weight: intervals double on a
  // busy machine.
  static void ExpectClose(double found, double variance, double planted, double share, double interval) {
    constexpr double kArena = 1 << 20;  // any function may be the one that needs it
    const double error = std::sqrt(std::max({variance, planted * interval, 0.0}));
    EXPECT_NEAR(found, planted, std::max(share * planted, 4 * error) + kArena + 100'000);
  }

  static void ExpectAllocated(const AllocationContent::Bytes& found, double planted) {
    ExpectClose(found.allocated, found.allocated_variance, planted, 0.05, found.largest_weight);
  }

  void Check(const std::string& function) {
    SCOPED_TRACE(function);
    const AllocationContent::Bytes& found = content_.bytes[function];
    const Planted planted = planted_.at(function);
    std::printf("%-16s allocated %6.1f of %6.1f MB, held %6.1f of %6.1f MB\n", function.c_str(), found.allocated / 1e6,
                planted.allocated / 1e6, found.held / 1e6, planted.held / 1e6);
    ExpectAllocated(found, planted.allocated);
    ExpectClose(found.held, found.held_variance, planted.held, 0.05, found.largest_weight);
    checked_.allocated += found.allocated;
    checked_.allocated_variance += found.allocated_variance;
    checked_.largest_weight = std::max(checked_.largest_weight, found.largest_weight);
    planted_bytes_ += planted.allocated;
  }

  // The sum over all checked functions has a small error also where the interval was doubled several times: it shows a
  // bias that the bounds of single functions hide.
  void CheckSum() {
    SCOPED_TRACE("all functions");
    ExpectAllocated(checked_, planted_bytes_);
  }

  void CheckSmallObjects() {
    const AllocationContent::Bytes& small = content_.bytes["small_objects"];
    const double planted = planted_.at("small_objects").held;
    std::printf("%-16s held %6.1f of %6.1f MB, error %.1f\n", "small_objects", small.held / 1e6, planted / 1e6,
                std::sqrt(std::max(small.held_variance, 0.0)) / 1e6);
    ExpectClose(small.held, small.held_variance, planted, 0.1, small.largest_weight);
  }

  fs::path folder_;
  AllocationContent content_;
  std::map<std::string, Planted> planted_;
  AllocationContent::Bytes checked_;  // sums of the checked functions
  double planted_bytes_ = 0;          // bytes that they allocated
};

TEST_F(AllocationsTest, EachFunctionHasTheBytesItAllocatedAndThoseItHeldWhenItWasKilled) {
  const std::vector<std::string> pythons = FindPythons();
  if (pythons.empty()) GTEST_SKIP() << "no CPython " SPARKPROF_PYTHON_VERSIONS " on this machine";
  for (const std::string& python : pythons) {
    SCOPED_TRACE(python);
    Run(python, /*small=*/false);
    if (HasFatalFailure()) return;
    for (const auto& [function, planted] : planted_) {
      if (function != "small_objects") Check(function);
    }
    CheckSum();
    CheckSmallObjects();  // by arenas
  }
}

TEST_F(AllocationsTest, SmallObjectsCountOneByOneOnRequest) {
  const std::vector<std::string> pythons = FindPythons();
  if (pythons.empty()) GTEST_SKIP() << "no CPython " SPARKPROF_PYTHON_VERSIONS " on this machine";
  for (const std::string& python : {pythons.front(), pythons.back()}) {
    SCOPED_TRACE(python);
    Run(python, /*small=*/true);
    if (HasFatalFailure()) return;
    Check("add_bytes");
    Check("fill_cache");
    CheckSmallObjects();  // the list that holds them grows meanwhile
  }
}

TEST_F(AllocationsTest, AFreeThreadedPythonIsRefused) {
  OwnPython python;
  python.layout.free_threaded = true;
  const Result<AllocationSampler*> sampler = AllocationSampler::Create(python, 1024, 2'000'000, {});
  ASSERT_FALSE(sampler);
  EXPECT_EQ(sampler.error().message, "free-threaded builds of Python are not supported");
}

// Variables of the environment: what a program may do with its allocators, each with its name.
std::vector<std::string> StressEnvironments() {
  std::vector<std::string> environments = {"PYTHONMALLOC=default", "PYTHONTRACEMALLOC=3", "PYTHONMALLOC=debug"};
  for (const char* const library : {"libjemalloc.so.2", "libmimalloc.so.2", "libmimalloc.so.3"}) {
    for (const auto& folder : fs::directory_iterator("/usr/lib")) {
      const fs::path path = folder.path() / library;
      if (std::error_code error; fs::exists(path, error)) environments.push_back("LD_PRELOAD=" + path.string());
    }
  }
  return environments;
}

// The program checks its results itself: threads that free each other's blocks, other interpreters, forks, garbage
// collection, tracemalloc, faulthandler, reallocation. SPARKPROF_STRESS_SECONDS is for all Pythons in all
// environments; otherwise, each Python runs in some of them.
TEST_F(AllocationsTest, SamplingDisturbsNoProgram) {
  const std::vector<std::string> pythons = FindPythons();
  if (pythons.empty()) GTEST_SKIP() << "no CPython " SPARKPROF_PYTHON_VERSIONS " on this machine";
  const std::vector<std::string> environments = StressEnvironments();
  const char* const all_seconds = std::getenv("SPARKPROF_STRESS_SECONDS");
  const size_t runs = pythons.size() * environments.size() * 2;
  const double seconds = all_seconds == nullptr ? 2 : std::stod(all_seconds) / static_cast<double>(runs);
  size_t run = 0;
  for (const std::string& python : pythons) {
    for (const char* const small : {"false", "true"}) {
      for (size_t i = 0; i < (all_seconds == nullptr ? 1 : environments.size()); ++i, ++run) {
        RunStress(python, small, environments[run % environments.size()], seconds);
      }
    }
  }
}

}  // namespace
}  // namespace sparkprof
