// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <utility>
#include <vector>

#include "formats/testing/read_profile.h"

namespace sparkprof::testing {
namespace {

// Values of Python's marshal format.
std::string Word(uint64_t word, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(word >> (8 * i));
  return text;
}
std::string Text(const std::string& text) { return "z" + Word(text.size(), 1) + text; }
std::string Integer(int32_t number) { return "i" + Word(static_cast<uint32_t>(number), 4); }
std::string Number(double number) { return "g" + Word(std::bit_cast<uint64_t>(number), 8); }
std::string Tuple(const std::vector<std::string>& items) {
  std::string text = ")" + Word(items.size(), 1);
  for (const std::string& item : items) text += item;
  return text;
}
std::string Dict(const std::vector<std::pair<std::string, std::string>>& items) {
  std::string text = "{";
  for (const auto& [key, value] : items) text += key + value;
  return text + "0";
}
std::string Reference(uint32_t row) { return "r" + Word(row, 4); }
std::string Referable(std::string value) {
  value[0] = static_cast<char>(value[0] | 0x80);
  return value;
}

std::string Key(const std::string& name) { return Tuple({Text("/x/job.py"), Integer(7), Text(name)}); }
std::string Times(int calls, double own, double total) {
  return Integer(calls) + Integer(calls) + Number(own) + Number(total);
}
std::string Statistics(int calls, double own, double total, const std::string& callers) {
  return ")\5" + Times(calls, own, total) + callers;
}
std::string Calls(int calls, double own, double total) { return ")\4" + Times(calls, own, total); }

TEST(PstatsTest, TimesAreSplitAmongDirectCallersAsMeasured) {
  // main calls a and b, which call leaf: a once for long, b three times.
  const std::string text =
      Dict({{Key("main"), Statistics(1, 0.5, 10, Dict({}))},
            {Key("a"), Statistics(1, 1, 7, Dict({{Key("main"), Calls(1, 1, 7)}}))},
            {Key("b"), Statistics(1, 0.5, 2.5, Dict({{Key("main"), Calls(1, 0.5, 2.5)}}))},
            {Key("leaf"), Statistics(4, 8, 8, Dict({{Key("a"), Calls(1, 6, 6)}, {Key("b"), Calls(3, 2, 2)}}))}});
  EXPECT_EQ(StacksOfText("pstats", text), (Stacks{{"main (job.py:7)", 500'000'000},
                                                  {"main (job.py:7);a (job.py:7)", 1'000'000'000},
                                                  {"main (job.py:7);b (job.py:7)", 500'000'000},
                                                  {"main (job.py:7);a (job.py:7);leaf (job.py:7)", 6'000'000'000},
                                                  {"main (job.py:7);b (job.py:7);leaf (job.py:7)", 2'000'000'000}}));
  const Result<Profile> profile = ReadProfile("pstats", text);
  int64_t calls = 0;
  for (const Sample& sample : profile->samples) calls += sample.count;
  EXPECT_EQ(calls, 7);
  EXPECT_EQ(profile->events[0], (ProfileEvent{"wall", "ns", "calls"}));
  EXPECT_EQ(RecognizeProfileFormat(text)->name, "pstats");
}

TEST(PstatsTest, TimesOfCallersCallersAreEstimatedByTheirShares) {
  // shared is called by a (3/4 of its time) and b; its own callee has the same shares.
  const std::string text =
      Dict({{Key("a"), Statistics(1, 0, 3, Dict({}))},
            {Key("b"), Statistics(1, 0, 1, Dict({}))},
            {Key("shared"), Statistics(2, 0, 4, Dict({{Key("a"), Calls(1, 0, 3)}, {Key("b"), Calls(1, 0, 1)}}))},
            {Key("leaf"), Statistics(8, 4, 4, Dict({{Key("shared"), Calls(8, 4, 4)}}))}});
  const Stacks stacks = StacksOfText("pstats", text);
  EXPECT_EQ(stacks.at("a (job.py:7);shared (job.py:7);leaf (job.py:7)"), 3'000'000'000);
  EXPECT_EQ(stacks.at("b (job.py:7);shared (job.py:7);leaf (job.py:7)"), 1'000'000'000);
}

TEST(PstatsTest, RecursiveCallsBelongToTheCallFromOutside) {
  const std::string text = Dict(
      {{Key("main"), Statistics(1, 0, 6, Dict({}))},
       {Key("fib"), Statistics(9, 2, 2, Dict({{Key("main"), Calls(1, 0.25, 2)}, {Key("fib"), Calls(8, 1.75, 1)}}))},
       {Key("even"), Statistics(5, 3, 4, Dict({{Key("main"), Calls(1, 1, 4)}, {Key("odd"), Calls(4, 2, 3)}}))},
       {Key("odd"), Statistics(5, 1, 4, Dict({{Key("even"), Calls(5, 1, 4)}}))}});
  EXPECT_EQ(StacksOfText("pstats", text), (Stacks{{"main (job.py:7)", 0},
                                                  {"main (job.py:7);fib (job.py:7)", 2'000'000'000},
                                                  {"main (job.py:7);even (job.py:7)", 3'000'000'000},
                                                  {"main (job.py:7);even (job.py:7);odd (job.py:7)", 1'000'000'000}}));
}

TEST(PstatsTest, NothingIsLostWhereStacksAreTooManyOrRounded) {
  // Layers of functions that all call all of the next layer: 8^5 stacks.
  std::vector<std::pair<std::string, std::string>> functions;
  for (int layer = 0; layer < 5; ++layer) {
    for (int i = 0; i < 8; ++i) {
      std::vector<std::pair<std::string, std::string>> callers;
      for (int j = 0; layer > 0 && j < 8; ++j) {
        callers.emplace_back(Key("f" + std::to_string(layer - 1) + std::to_string(j)), Calls(1, 1e-9 / 3, 0.1));
      }
      functions.emplace_back(Key("f" + std::to_string(layer) + std::to_string(i)),
                             Statistics(8, 17e-9, 0.8, Dict(callers)));
    }
  }
  const Result<Profile> profile = ReadProfile("pstats", Dict(functions));
  ASSERT_TRUE(profile);
  int64_t total = 0, calls = 0;
  for (const Sample& sample : profile->samples) {
    total += sample.weight;
    calls += sample.count;
  }
  EXPECT_EQ(total, 40 * 17);
  EXPECT_EQ(calls, 40 * 8);
  EXPECT_LT(profile->samples.size(), 5000u);
}

TEST(PstatsTest, PurePythonsProfilesHaveCountsAndCodeObjects) {
  // (file, line, code object) with references, as Python 3.11 marshals it; calls instead of times by caller.
  const std::string name = Referable(Text("job.py"));
  const std::string integers(20, '\0');
  const std::string code = "c" + integers + "s" + Word(2, 4) + "xx" + "N" + Tuple({}) + Tuple({}) + "s" + Word(0, 4) +
                           name + Text("<module>") + Text("<module>") + Word(3, 4) + "s" + Word(0, 4) + "s" +
                           Word(0, 4);
  const std::string main = Tuple({Text("profile"), Integer(0), code});
  const std::string text =
      Dict({{main, Statistics(1, 1, 3, Dict({}))},
            {Tuple({Reference(0), Integer(5), Text("f")}), Statistics(4, 2, 2, Dict({{main, Integer(4)}}))},
            {Tuple({Text(""), Integer(0), Text("len")}), Statistics(1, 0.5, 0.5, Dict({}))}});
  EXPECT_EQ(StacksOfText("pstats", text), (Stacks{{"<module> (job.py:3)", 1'000'000'000},
                                                  {"<module> (job.py:3);f (job.py:5)", 2'000'000'000},
                                                  {"len", 500'000'000}}));
}

TEST(PstatsTest, SamplingProfilersCountSamplesInsteadOfCalls) {
  // Functions with the samples in them alone and in all, and the samples by caller, as Python 3.15 writes them.
  const auto sampled = [](int own, int all, double own_s, double all_s, const std::string& callers) {
    return ")\5" + Integer(own) + Integer(all) + Number(own_s) + Number(all_s) + callers;
  };
  const std::string mark = Tuple({Text("__sampled__")}), yes = "T";
  // work is called by main, and is the root of a thread of its own.
  const std::vector<std::pair<std::string, std::string>> functions{
      {Key("work"), sampled(80, 80, 0.8, 0.8, Dict({{Key("main"), Integer(60)}}))},
      {Key("main"), sampled(20, 80, 0.2, 0.8, Dict({}))}};
  const Stacks expected{{"main (job.py:7)", 200'000'000},
                        {"main (job.py:7);work (job.py:7)", 600'000'000},
                        {"work (job.py:7)", 200'000'000}};
  const std::string last = Dict({functions[0], functions[1], {mark, yes}}),
                    first = Dict({{mark, yes}, functions[0], functions[1]});
  for (const std::string& text : {last, first}) {
    EXPECT_EQ(RecognizeProfileFormat(text)->name, "pstats");
    const Result<Profile> profile = ReadProfile("pstats", text);
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_EQ(StacksOf(*profile, 0), expected);
    EXPECT_EQ(profile->events[0].counts_as, "samples");
    int64_t samples = 0;
    for (const Sample& sample : profile->samples) samples += sample.count;
    EXPECT_EQ(samples, 100);
  }
  for (size_t size = 0; size < last.size(); ++size) {
    EXPECT_TRUE(ReadProfile("pstats", last.substr(0, size), {.lenient = true})) << size;
  }
}

TEST(PstatsTest, CallsThatWereNotCountedAreUnknown) {
  // pyinstrument writes -1 for each. Three callers of leaf, which nothing else called.
  const std::string text = Dict(
      {{Key("a"), Statistics(-1, 0, 1, Dict({}))},
       {Key("b"), Statistics(-1, 0, 1, Dict({}))},
       {Key("c"), Statistics(-1, 0, 2, Dict({}))},
       {Key("leaf"),
        Statistics(-1, 4, 4,
                   Dict({{Key("a"), Calls(-1, 1, 1)}, {Key("b"), Calls(-1, 1, 1)}, {Key("c"), Calls(-1, 2, 2)}}))}});
  const Result<Profile> profile = ReadProfile("pstats", text);
  ASSERT_TRUE(profile) << profile.error().message;
  Stacks stacks = StacksOf(*profile, 0);
  std::erase_if(stacks, [](const auto& stack) { return stack.second == 0; });
  EXPECT_EQ(stacks, (Stacks{{"a (job.py:7);leaf (job.py:7)", 1'000'000'000},
                            {"b (job.py:7);leaf (job.py:7)", 1'000'000'000},
                            {"c (job.py:7);leaf (job.py:7)", 2'000'000'000}}));
  EXPECT_FALSE(profile->events[0].has_counts);
  for (const Sample& sample : profile->samples) EXPECT_EQ(sample.count, 0);
}

TEST(PstatsTest, FunctionsBeforeTheDamageAreRead) {
  const std::string first = Key("main") + Statistics(1, 1, 1, Dict({}));
  EXPECT_EQ(DamageOf("pstats", "{" + first),
            "input: offset 57: expected the rest of a value, found the end of the file");
  EXPECT_EQ(StacksOfText("pstats", "{" + first + Key("x"), {.lenient = true}),
            (Stacks{{"main (job.py:7)", 1'000'000'000}}));
  EXPECT_EQ(DamageOf("pstats", "{" + first + Key("x") + "N0"),
            "input: offset 57: expected (file, line, function): (calls, calls, time, time, callers)");
  EXPECT_EQ(DamageOf("pstats", "{0"), "input: offset 0: expected the statistics of at least one function, found none");
  EXPECT_EQ(DamageOf("pstats", "{" + Tuple({Reference(9)})).substr(0, 16), "input: offset 8:");
  const std::string whole = "{" + first + Key("a") + Statistics(1, 1, 1, Dict({{Key("main"), Calls(1, 1, 1)}})) + "0";
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(ReadProfile("pstats", whole.substr(0, size))) << size;
    EXPECT_TRUE(ReadProfile("pstats", whole.substr(0, size), {.lenient = true})) << size;
  }
}

TEST(PstatsTest, DeepAndCircularValuesAreFaults) {
  EXPECT_NE(DamageOf("pstats", "{" + std::string(100'000, '[')).find("expected"), std::string::npos);
  std::string nested = "{";
  for (int i = 0; i < 1000; ++i) nested += ")\1";
  EXPECT_NE(DamageOf("pstats", nested).find("nested less deeply"), std::string::npos);
  EXPECT_NE(DamageOf("pstats", "{" + Referable(Tuple({Reference(0)})) + "N0").find("expected"), std::string::npos);
}

}  // namespace
}  // namespace sparkprof::testing
