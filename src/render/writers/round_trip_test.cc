// SPDX-License-Identifier: Apache-2.0
// Each format that is both written and read keeps stacks and weights.
#include <gtest/gtest.h>

#include <map>
#include <protozero/pbf_reader.hpp>
#include <string>

#include "analysis/selection/foreign_application.h"
#include "base/io/compression.h"
#include "formats/testing/read_profile.h"
#include "render/writers/profile_writers.h"

namespace sparkprof::testing {
namespace {

std::string Written(const Profile& profile, std::string_view format) {
  std::string bytes;
  OutputFile output = OutputFile::ToMemory(&bytes);
  EXPECT_TRUE(FindProfileWriter(format)->write(ForeignApplication(profile), {.event = profile.default_event}, &output));
  EXPECT_TRUE(output.Commit());
  return bytes;
}

Profile ReadBack(std::string bytes, std::string_view format) {
  ProfileBuilder builder({.name = "input", .keep_threads = true, .keep_tasks = true});
  auto source = Decompress(StringSource(std::move(bytes)), "input");
  const Result<void> read = FindProfileFormat(format)->read(std::move(source), &builder);
  EXPECT_TRUE(read) << read.error().message;
  return builder.Take();
}

// Frames with and without file and line, a stack that is part of another, names that formats must escape.
Profile Example() {
  ProfileBuilder builder({.name = "example", .keep_threads = true, .keep_tasks = true});
  Profile& profile = builder.profile();
  builder.AddEvent("cpu", "ns");
  builder.AddEvent("alloc", "bytes");
  const auto frame = [&](std::string_view name, std::string_view file, uint32_t line, FrameKind kind) {
    return profile.frames.Intern({profile.strings.Intern(name), profile.strings.Intern(file), line, kind});
  };
  const StackId run = profile.stacks.Push(0, frame("java.lang.Thread.run", "Thread.java", 840, FrameKind::kJit));
  const StackId burn = profile.stacks.Push(run, frame("com.example.Job.<init>", "", 0, FrameKind::kUnknown));
  const StackId leaf = profile.stacks.Push(burn, frame("quote\"back\\slash é", "job.py", 3, FrameKind::kPython));
  const uint32_t main = builder.AddThread({.process = 7, .tid = 12, .name = "main"});
  const uint32_t task = builder.AddTask({.task = 42, .stage = 3, .stage_attempt = 0, .partition = 1});
  builder.Add({.stack = run, .thread = main, .event = 0, .weight = 20'000'000, .count = 2});
  builder.Add({.stack = leaf, .thread = main, .task = task, .event = 0, .weight = 10'000'000});
  builder.Add({.stack = leaf, .thread = main, .task = task, .event = 1, .weight = 4096});
  builder.Add({.stack = burn, .event = 1, .weight = 512});
  return builder.Take();
}

// Labels may differ if a format has no frame kinds: those of Python contain the file.
Stacks WithoutKinds(const Profile& profile, EventId event) {
  Profile plain = profile;
  plain.frames = FrameTable();
  for (FrameId id = 1; id < profile.frames.Size(); ++id) {
    Frame frame = profile.frames.Get(id);
    frame.kind = FrameKind::kUnknown;
    plain.frames.Intern(frame);
  }
  return StacksOf(plain, event);
}

TEST(RoundTripTest, EachFormatKeepsStacksAndWeightsOfEveryEvent) {
  const Profile example = Example();
  for (const char* format : {"pprof", "speedscope", "otlp"}) {
    const Profile back = ReadBack(Written(example, format), format);
    for (const ProfileEvent& event : example.events) {
      const Result<uint32_t> from = example.FindEvent(event.name), to = back.FindEvent(event.name);
      ASSERT_TRUE(to) << format << ": " << to.error().message;
      EXPECT_EQ(back.events[*to].unit, event.unit) << format;
      EXPECT_EQ(WithoutKinds(back, *to), WithoutKinds(example, *from)) << format;
    }
  }
}

TEST(RoundTripTest, PprofKeepsCountsThreadsAndTasks) {
  const Profile back = ReadBack(Written(Example(), "pprof"), "pprof");
  bool found = false;
  for (const Sample& sample : back.samples) {
    if (sample.weight != 10'000'000) continue;
    found = true;
    EXPECT_EQ(back.threads[sample.thread], (ProfileThread{7, 12, "main"}));
    EXPECT_EQ(back.tasks[sample.task].task, 42);
    EXPECT_EQ(sample.count, 1);
  }
  EXPECT_TRUE(found);
}

// pprof would demangle a system name, which a name like "<module>" does not survive.
TEST(RoundTripTest, PprofHasNoSystemNames) {
  const std::string written = Written(Example(), "pprof");
  const std::unique_ptr<ByteSource> source = Decompress(StringSource(written), "pprof");
  const Result<std::string> message = ReadAll(source.get(), size_t{1} << 20, "pprof");
  ASSERT_TRUE(message);
  int functions = 0;
  protozero::pbf_reader profile(*message);
  while (profile.next()) {
    if (profile.tag() != 5) {
      profile.skip();
      continue;
    }
    ++functions;
    protozero::pbf_reader function = profile.get_message();
    while (function.next()) {
      EXPECT_NE(function.tag(), 3u);
      function.skip();
    }
  }
  EXPECT_GT(functions, 0);
}

TEST(RoundTripTest, OtlpKeepsThreadsAndProcesses) {
  const Profile back = ReadBack(Written(Example(), "otlp"), "otlp");
  std::map<int64_t, ProfileThread> threads;
  for (const Sample& sample : back.samples) threads[sample.weight] = back.threads[sample.thread];
  EXPECT_EQ(threads,
            (std::map<int64_t, ProfileThread>{
                {20'000'000, {7, 12, "main"}}, {10'000'000, {7, 12, "main"}}, {4096, {7, 12, "main"}}, {512, {}}}));
}

TEST(RoundTripTest, OtlpAndPprofKeepFilesLinesAndKinds) {
  for (const char* format : {"pprof", "otlp"}) {
    const Profile back = ReadBack(Written(Example(), format), format);
    std::map<std::string, std::string> places;
    for (FrameId id = 1; id < back.frames.Size(); ++id) {
      const Frame& frame = back.frames.Get(id);
      places[std::string(back.strings.Get(frame.name))] =
          std::string(back.strings.Get(frame.file)) + ":" + std::to_string(frame.line);
    }
    EXPECT_EQ(places, (std::map<std::string, std::string>{{"java.lang.Thread.run", "Thread.java:840"},
                                                          {"com.example.Job.<init>", ":0"},
                                                          {"quote\"back\\slash é", "job.py:3"}}))
        << format;
  }
}

TEST(RoundTripTest, FormatsAreRecognizedByWhatTheyWrite) {
  for (const char* format : {"pprof", "speedscope", "otlp", "collapsed"}) {
    auto source = Decompress(StringSource(Written(Example(), format)), "input");
    std::optional<Error> damage;
    const std::string head = ReadUpTo(source.get(), kFormatHeadSize, &damage);
    const ProfileFormat* found = RecognizeProfileFormat(head);
    ASSERT_NE(found, nullptr) << format;
    EXPECT_EQ(found->name, format);
  }
}

TEST(RoundTripTest, FormatsKeepWhatTheyCanShow) {
  std::map<std::string, std::string> kept;
  for (const ProfileWriter& writer : ProfileWriters()) {
    kept[std::string(writer.name)] = std::string(writer.keeps_lines ? "lines " : "") +
                                     (writer.keeps_threads ? "threads " : "") + (writer.is_gzip ? "gzip " : "") +
                                     std::to_string(writer.bucket_ns);
  }
  EXPECT_EQ(kept, (std::map<std::string, std::string>{{"collapsed", "0"},
                                                      {"html", "lines threads 20000000"},
                                                      {"heatmap", "20000000"},
                                                      {"svg", "0"},
                                                      {"json", "0"},
                                                      {"text", "0"},
                                                      {"pprof", "lines threads gzip 0"},
                                                      {"speedscope", "lines threads 0"},
                                                      {"firefox", "lines threads 1000000"},
                                                      {"otlp", "lines threads 0"}}));
}

TEST(RoundTripTest, CollapsedKeepsStacksAndWeights) {
  const Profile before = ReadBack("a;b;c 3\na;b 2\n[x y];d 7\n", "collapsed");
  const Profile after = ReadBack(Written(before, "collapsed"), "collapsed");
  EXPECT_EQ(StacksOf(after, 0), StacksOf(before, 0));
}

}  // namespace
}  // namespace sparkprof::testing
