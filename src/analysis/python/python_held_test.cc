// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "analysis/python/held_lines.h"
#include "analysis/python/stitch.h"
#include "analysis/testing/python_application.h"

namespace sparkprof {
namespace {

class PythonHeldTest : public ::testing::Test {
 protected:
  PythonHeldTest() { python_.application().profile.bucket_ns = kNanosPerSecond; }
  void Add(Event event, int64_t second, StackId stack, int64_t bytes) {
    python_.AddPython(event, second, stack, bytes, ThreadState::kUnknown);
  }
  // Held bytes by the name of the leaf.
  std::map<std::string, int64_t> Held() const {
    const Profile& profile = python_.application().profile;
    const EventId live = profile.Row(Event::kPythonLive);
    std::map<std::string, int64_t> held;
    for (const Sample& sample : profile.samples) {
      if (sample.event != live) continue;
      const Frame& leaf = profile.frames.Get(profile.stacks.Get(sample.stack).frame);
      held[std::string(profile.strings.Get(leaf.name))] += sample.weight;
    }
    return held;
  }
  static int64_t At(int64_t second) { return ApplicationBuilder::kStart + second * kNanosPerSecond; }
  void SetHeld(const HeldRange& range) {
    Profile& profile = python_.application().profile;
    std::vector<uint32_t> rows;
    for (uint32_t row = 0; row < profile.samples.size(); ++row) rows.push_back(row);
    SetPythonHeld(rows, range, &profile);
  }

  mutable PythonApplication python_;
};

using Bytes = std::map<std::string, int64_t>;

TEST_F(PythonHeldTest, IsWhatWasHeldWhenTheProcessesTogetherHeldMost) {
  Add(Event::kPythonAlloc, 1, python_.score(), 100);
  Add(Event::kPythonAlloc, 2, python_.score_deeper(), 500);
  Add(Event::kPythonFree, 3, python_.score_deeper(), 450);
  Add(Event::kPythonAlloc, 4, python_.score(), 300);
  ChooseLanguage(&python_.application(), Language::kMerged, /*fold=*/true);
  EXPECT_EQ(Held(), (Bytes{{"score", 100}, {"help", 500}}));
  SetHeld({.from_ns = At(3), .to_ns = std::nullopt});
  EXPECT_EQ(Held(), (Bytes{{"score", 100}, {"help", 500}})) << "held at second 3 begins with this";
  SetHeld({.from_ns = At(4), .to_ns = std::nullopt});
  EXPECT_EQ(Held(), (Bytes{{"score", 400}, {"help", 50}}));
  SetHeld({.from_ns = std::nullopt, .to_ns = At(2)});
  EXPECT_EQ(Held(), (Bytes{{"score", 100}}));
  SetHeld({.from_ns = At(9), .to_ns = std::nullopt});
  EXPECT_EQ(Held(), (Bytes{{"score", 400}, {"help", 50}})) << "nothing changed since";
}

TEST_F(PythonHeldTest, AReleaseMatchesItsAllocationWhereverTheJvmWaitedThen) {
  python_.AddJvm(Event::kWall, 1, python_.wait(), 100, PythonState::kRunning);
  python_.AddJvm(Event::kWall, 3, python_.run(), 100, PythonState::kRunning);
  Add(Event::kPythonAlloc, 1, python_.score(), 100);
  Add(Event::kPythonAlloc, 2, python_.score_deeper(), 60);
  Add(Event::kPythonFree, 3, python_.score(), 100);
  Add(Event::kPythonAlloc, 4, python_.score_deeper(), 90);
  ChooseLanguage(&python_.application(), Language::kMerged, /*fold=*/true);
  EXPECT_EQ(Held(), (Bytes{{"score", 100}, {"help", 60}}));
  SetHeld({.from_ns = At(4), .to_ns = std::nullopt});
  EXPECT_EQ(Held(), (Bytes{{"help", 150}}));
  const Profile& profile = python_.application().profile;
  for (const Sample& sample : profile.samples) {
    if (sample.event != profile.Row(Event::kPythonLive)) continue;
    std::vector<FrameId> path;
    profile.stacks.Unwind(sample.stack, &path);
    EXPECT_EQ(profile.strings.Get(profile.frames.Get(path.front()).name), "java.lang.Thread.run");
  }
}

TEST_F(PythonHeldTest, WithoutAllocationsThereIsNoEvent) {
  Add(Event::kCpu, 1, python_.score(), 100);
  ChooseLanguage(&python_.application(), Language::kMerged, /*fold=*/true);
  EXPECT_EQ(python_.application().profile.Row(Event::kPythonLive), kNoEvent);
}

}  // namespace
}  // namespace sparkprof
