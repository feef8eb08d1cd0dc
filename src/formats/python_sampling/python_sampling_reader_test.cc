// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "formats/testing/read_profile.h"

namespace sparkprof::testing {
namespace {

const std::string kMeta = R"({"type":"meta","v":1,"run_id":"5e1f","sample_interval_usec":1000,"mode":"wall"})";
const std::string kTexts =
    R"({"type":"str_def","v":1,"run_id":"5e1f","defs":[{"str_id":1,"value":"parse"},{"str_id":2,"value":"/srv/load.py"},)"
    R"({"str_id":3,"value":"<GC>"},{"str_id":4,"value":"~"}]})";
const std::string kFrames =
    R"({"type":"frame_def","v":1,"run_id":"5e1f","defs":[{"frame_id":1,"path_str_id":2,"func_str_id":1,"line":14},)"
    R"({"frame_id":2,"path_str_id":4,"func_str_id":3,"line":0,"synthetic":true}]})";
const std::string kSamples =
    R"({"type":"agg","v":1,"run_id":"5e1f","kind":"frame","scope":"final","samples_total":9,"entries":[)"
    R"({"frame_id":1,"self":7,"cumulative":9},{"frame_id":2,"self":2,"cumulative":2}]})";
const std::string kEnd = R"({"type":"end","v":1,"run_id":"5e1f","samples_total":9})";

std::string Lines(std::initializer_list<std::string> records) {
  std::string text;
  for (const std::string& record : records) text += record + "\n";
  return text;
}

TEST(PythonSamplingTest, FunctionsHaveTheTimeOfTheirSamples) {
  const std::string text = Lines({kMeta, kTexts, kFrames, kSamples, kSamples, R"({"type":"note"})", kEnd});
  EXPECT_EQ(RecognizeProfileFormat(text)->name, "python-jsonl");
  const Result<Profile> profile = ReadProfile("python-jsonl", text);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(StacksOf(*profile, 0), (Stacks{{"parse (load.py:14)", 14'000'000}, {"<GC>", 4'000'000}}));
  EXPECT_EQ(profile->events[0], (ProfileEvent{"wall", "ns"}));
  int64_t samples = 0;
  for (const Sample& sample : profile->samples) samples += sample.count;
  EXPECT_EQ(samples, 18);
  EXPECT_NE(profile->notes.at(0).find("without its callers"), std::string::npos);
}

TEST(PythonSamplingTest, TheModeIsTheEvent) {
  const auto event = [](const std::string& mode) {
    std::string meta = kMeta;
    meta.replace(meta.find("wall"), 4, mode);
    const Result<Profile> profile = ReadProfile("python-jsonl", Lines({meta, kTexts, kFrames, kSamples, kEnd}));
    return profile->events[0].name + " " + profile->events[0].unit;
  };
  EXPECT_EQ(event("cpu"), "cpu ns");
  EXPECT_EQ(event("gil"), "gil ns");
  EXPECT_EQ(event("all"), "wall ns");
  EXPECT_EQ(event("exception"), "exceptions count");
}

TEST(PythonSamplingTest, TruncatedAndCorruptRecordsAreDamage) {
  EXPECT_EQ(DamageOf("python-jsonl", Lines({kMeta, kTexts, kFrames, kSamples})),
            "input: line 4: expected a record of type \"end\", found the end of the input");
  EXPECT_EQ(
      DamageOf("python-jsonl", Lines({kMeta, kFrames, kEnd})),
      "input: line 2: expected a record of Python's sampling profiler that refers to those before it, found another "
      "of type 'frame_def'");
  EXPECT_EQ(DamageOf("python-jsonl", Lines({kMeta, "nonsense", kEnd})),
            "input: line 2: expected a record of Python's sampling profiler in JSON, found 'nonsense'");
  const std::string whole = Lines({kMeta, kTexts, kFrames, kSamples, kEnd});
  for (size_t size = 0; size < whole.size() - 1; ++size) {
    EXPECT_FALSE(ReadProfile("python-jsonl", whole.substr(0, size))) << size;
    EXPECT_TRUE(ReadProfile("python-jsonl", whole.substr(0, size), {.lenient = true})) << size;
  }
}

}  // namespace
}  // namespace sparkprof::testing
