// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "analysis/testing/application_builder.h"
#include "base/io/output_file.h"
#include "base/text/text.h"
#include "profiles/profile_transform.h"
#include "render/svg/palette.h"
#include "render/svg/svg_writer.h"
#include "render/writers/profile_writers.h"

namespace sparkprof {
namespace {

// The cpu samples of an application as the flame verb has them.
Profile ProfileOf(const Application& application) {
  Profile profile = application.profile;
  const EventId cpu = profile.AddEvent(Event::kCpu);
  return Transform(std::move(profile), {.lines = false}, cpu).value();
}

template <typename Write>
std::string Written(Write&& write) {
  std::string content;
  OutputFile output = OutputFile::ToMemory(&content);
  write(&output);
  EXPECT_TRUE(output.Commit());
  return content;
}

std::string Collapsed(const Application& application, bool counts) {
  return Written([&](OutputFile* output) { WriteCollapsed(ProfileOf(application), 0, counts, output); });
}

std::string Svg(const Application& application, const SvgOptions& options) {
  return Written([&](OutputFile* output) { WriteFlameSvg(ProfileOf(application), 0, std::nullopt, options, output); });
}

Application WithStacks(std::initializer_list<std::initializer_list<std::string_view>> stacks) {
  ApplicationBuilder builder;
  builder.AddThread(1, "main", builder.AddExecutor("driver", 1));
  for (const auto& stack : stacks) builder.AddSample(Event::kCpu, 0, 1, kNoTask, builder.AddStack(stack), 10, 2);
  return builder.application();
}

TEST(CollapsedTest, PrintsTheExampleExactly) {
  const Application application = ExampleApplication();
  EXPECT_EQ(
      Collapsed(application, false),
      "CompileBroker::compiler_thread_loop 64000\n"
      "com.example.Job.main;org.apache.spark.sql.Dataset.collect 32000\n"
      "java.lang.Thread.run;org.apache.spark.scheduler.Task.run;com.example.Job.map 25000\n"
      "java.lang.Thread.run;org.apache.spark.scheduler.Task.run;com.example.Job.map;java.lang.Integer.parseInt 6000\n");
}

TEST(CollapsedTest, CountsAreSamples) {
  const Application application = ExampleApplication();
  EXPECT_EQ(
      Collapsed(application, true),
      "CompileBroker::compiler_thread_loop 64\n"
      "com.example.Job.main;org.apache.spark.sql.Dataset.collect 32\n"
      "java.lang.Thread.run;org.apache.spark.scheduler.Task.run;com.example.Job.map 25\n"
      "java.lang.Thread.run;org.apache.spark.scheduler.Task.run;com.example.Job.map;java.lang.Integer.parseInt 6\n");
}

TEST(CollapsedTest, NamesCannotBreakTheFormat) {
  const Application application = WithStacks({{"a;b", "c\nd\re", ""}});
  EXPECT_EQ(Collapsed(application, false), "a:b;c d e;[unknown] 10\n");
}

TEST(CollapsedTest, NothingSelectedPrintsNothing) {
  const Application application = WithStacks({});
  EXPECT_EQ(Collapsed(application, false), "");
}

TEST(FlameJsonTest, PrintsTheNestedTree) {
  const Application application = WithStacks({{"a", "b"}, {"a"}, {"c\"d"}});
  EXPECT_EQ(
      Written([&](OutputFile* output) { WriteProfileJson(ProfileOf(application), 0, std::nullopt, output); }),
      R"({"event":"cpu","unit":"ns","total":30,"count":6,"root":{"name":"all","value":30,"self":0,"count":6,"children":[)"
      R"({"name":"a","value":20,"self":10,"count":4,"kind":"jit","children":[)"
      R"({"name":"b","value":10,"self":10,"count":2,"kind":"jit","children":[]}]},)"
      R"({"name":"c\"d","value":10,"self":10,"count":2,"kind":"jit","children":[]}]}}
)");
}

// Tags in order, with text and CDATA skipped; fails the test where they do not nest.
size_t ExpectWellFormed(std::string_view xml) {
  std::vector<std::string> open;
  size_t elements = 0;
  for (size_t at = 0; (at = xml.find('<', at)) != std::string_view::npos;) {
    if (xml.substr(at).starts_with("<?")) {
      at = xml.find("?>", at);
      continue;
    }
    if (xml.substr(at).starts_with("<![CDATA[")) {
      at = xml.find("]]>", at);
      EXPECT_NE(at, std::string_view::npos);
      continue;
    }
    const size_t end = xml.find('>', at);
    EXPECT_NE(end, std::string_view::npos);
    const std::string_view tag = xml.substr(at + 1, end - at - 1);
    EXPECT_EQ(std::count(tag.begin(), tag.end(), '"') % 2, 0) << tag;
    if (tag.front() == '/') {
      EXPECT_FALSE(open.empty()) << tag;
      if (open.empty()) return elements;
      EXPECT_EQ(open.back(), tag.substr(1));
      open.pop_back();
    } else {
      ++elements;
      if (tag.back() != '/') open.emplace_back(tag.substr(0, tag.find(' ')));
    }
    at = end;
  }
  EXPECT_TRUE(open.empty());
  return elements;
}

TEST(FlameSvgTest, IsWellFormedWhateverTheNames) {
  const Application application = WithStacks({{"a<init>&\"b\"", "c\x01\xff", "]]>", "lambda$é"}, {"x"}});
  const std::string svg = Svg(application, {.title = "<job> & \"co\"", .subtitle = "stage <3>"});
  EXPECT_GT(ExpectWellFormed(svg), 20u);
  EXPECT_TRUE(IsUtf8(svg));
  EXPECT_NE(svg.find("a&lt;init&gt;&amp;&quot;b&quot; (10 ns, 2 samples, 50.0%)"), std::string::npos);
  EXPECT_NE(svg.find("&lt;job&gt; &amp; &quot;co&quot;"), std::string::npos);
}

TEST(FlameSvgTest, NeedsNothingFromElsewhere) {
  const Application application = ExampleApplication();
  const std::string svg = Svg(application, {.title = "t"});
  // The one address there is names the format; nothing is loaded from it.
  constexpr std::string_view kNamespace = "http://www.w3.org/2000/svg\"";
  for (size_t at = 0; (at = svg.find("http", at)) != std::string::npos; ++at)
    EXPECT_EQ(svg.substr(at, kNamespace.size()), kNamespace);
  EXPECT_EQ(svg.find("href"), std::string::npos);
}

TEST(FlameSvgTest, LeavesOutWhatNobodyCanSeeAndSaysSo) {
  ApplicationBuilder builder;
  builder.AddThread(1, "main", builder.AddExecutor("driver", 1));
  builder.AddSample(Event::kCpu, 0, 1, kNoTask, builder.AddStack({"large"}), 1'000'000);
  builder.AddSample(Event::kCpu, 0, 1, kNoTask, builder.AddStack({"small", "deep", "deeper"}), 1);
  const std::string svg = Svg(builder.application(), {.title = "t"});
  EXPECT_EQ(svg.find("deeper"), std::string::npos);
  EXPECT_NE(svg.find("3 narrow frames not drawn"), std::string::npos);
}

TEST(FlameSvgTest, AnEmptyTreeIsAPictureToo) {
  const Application application = WithStacks({});
  EXPECT_GT(ExpectWellFormed(Svg(application, {.title = "t"})), 8u);
}

// Relative luminance and contrast as WCAG 2.1 defines them.
double ContrastWithBlack(const std::string& color) {
  const auto channel = [&](size_t at) {
    const double value = std::stoi(color.substr(at, 2), nullptr, 16) / 255.0;
    return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return (0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5) + 0.05) / 0.05;
}

TEST(FrameColorTest, BlackTextIsReadableOnEveryColor) {
  for (int kind = 0; kind <= static_cast<int>(FrameKind::kSynthetic); ++kind) {
    for (int origin = 0; origin <= static_cast<int>(FrameOrigin::kVm); ++origin) {
      for (int package = 0; package < 50; ++package) {
        const std::string color = FrameColor("package" + std::to_string(package) + ".f", static_cast<FrameKind>(kind),
                                             static_cast<FrameOrigin>(origin));
        EXPECT_GE(ContrastWithBlack(color), 4.5) << color;
      }
    }
  }
}

// web/src/charts/flame/colors.test.ts has the same rows.
TEST(FrameColorTest, FramesHaveTheColorsOfThePage) {
  EXPECT_EQ(FrameColor("com.example.Job.map", FrameKind::kJit, FrameOrigin::kUser), "#ff9138");
  EXPECT_EQ(FrameColor("org.apache.spark.sql.Dataset.collect", FrameKind::kJit, FrameOrigin::kSpark), "#93c7ec");
  EXPECT_EQ(FrameColor("java.util.HashMap.get", FrameKind::kInterpreted, FrameOrigin::kJdk), "#d4dbe2");
  EXPECT_EQ(FrameColor("org.rocksdb.RocksDB.get", FrameKind::kInlined, FrameOrigin::kLibrary), "#a6dbc3");
  EXPECT_EQ(FrameColor("memcpy", FrameKind::kNative, FrameOrigin::kLibrary), "#ccbeab");
  EXPECT_EQ(FrameColor("do_syscall_64", FrameKind::kKernel, FrameOrigin::kLibrary), "#e0a7c1");
  EXPECT_EQ(FrameColor("score (job.py)", FrameKind::kPython, FrameOrigin::kUser), "#fb8d33");
  EXPECT_EQ(FrameColor("loads (decoder.py)", FrameKind::kPython, FrameOrigin::kPythonRuntime), "#eae091");
  EXPECT_EQ(FrameColor("G1ParTask::work", FrameKind::kNative, FrameOrigin::kVm), "#c5aee1");
  EXPECT_EQ(FrameColor("[waiting for Python]", FrameKind::kSynthetic, FrameOrigin::kLibrary), "#ebeef1");
}

TEST(WeightTextTest, UnitsAreTheEvents) {
  EXPECT_EQ(FormatWeight(Event::kCpu, 1'500'000'000), "1.5 s");
  EXPECT_EQ(FormatWeight(Event::kAlloc, 3 << 20), "3.0 MiB");
}

}  // namespace
}  // namespace sparkprof
