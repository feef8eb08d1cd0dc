// SPDX-License-Identifier: Apache-2.0
// Small inputs that expand to large tables, and inputs whose stacks repeat: a reader has the memory of its caller's
// limit, and time in proportion to the input.
#include <gtest/gtest.h>

#include <functional>
#include <protozero/pbf_writer.hpp>

#include "base/memory_limit.h"
#include "formats/jfr/testing/jfr_chunk_writer.h"
#include "formats/profile_formats.h"

namespace sparkprof::testing {
namespace {

using protozero::pbf_writer;

constexpr size_t kLimit = size_t{64} << 20;
constexpr size_t kMillion = 1'000'000;

std::string Message(const std::function<void(pbf_writer&)>& write) {
  std::string bytes;
  pbf_writer writer{bytes};
  write(writer);
  return bytes;
}

std::string Repeat(std::string_view text, size_t times) {
  std::string all;
  all.reserve(text.size() * times);
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}

// A profile with one event and one function, with `tables`.
std::string Pprof(const std::string& tables) {
  const std::string pair = Message([](pbf_writer& writer) {
    writer.add_uint64(1, 1);
    writer.add_uint64(2, 2);
  });
  return Message([&](pbf_writer& profile) {
           profile.add_message(1, pair);
           profile.add_message(5, pair);
           for (const char* text : {"", "cpu", "nanoseconds"}) profile.add_string(6, text);
         }) +
         tables;
}

// A location 1 with `lines` lines.
std::string Location(size_t lines) {
  const std::string line = Message([](pbf_writer& writer) {
    writer.add_message(4, Message([](pbf_writer& inlined) { inlined.add_uint64(1, 1); }));
  });
  const std::string location = "\x08\x01" + Repeat(line, lines);
  return Message([&](pbf_writer& profile) { profile.add_message(4, location); });
}

std::string PprofSample(size_t locations) {
  return Message([&](pbf_writer& profile) {
    profile.add_message(2, Message([&](pbf_writer& sample) {
                          sample.add_bytes(1, std::string(locations, '\1'));
                          sample.add_bytes(2, std::string(1, '\5'));
                        }));
  });
}

// Samples of `stacks` stacks of `locations` locations of `lines` lines.
std::string Otlp(size_t stacks, size_t locations, size_t lines) {
  return Message([&](pbf_writer& data) {
    data.add_message(1, Message([&](pbf_writer& resource) {
                       resource.add_message(2, Message([&](pbf_writer& scope) {
                                              scope.add_message(2, Message([&](pbf_writer& profile) {
                                                                  for (size_t i = 0; i < stacks; ++i) {
                                                                    profile.add_message(
                                                                        2, Message([&](pbf_writer& sample) {
                                                                          sample.add_uint64(1, i);
                                                                          sample.add_bytes(4, "\1");
                                                                        }));
                                                                  }
                                                                }));
                                            }));
                     }));
    data.add_message(2, Message([&](pbf_writer& dictionary) {
                       const std::string line = Message([](pbf_writer& writer) { writer.add_uint64(1, 0); });
                       dictionary.add_message(
                           2, Repeat("\x1a" + std::string(1, static_cast<char>(line.size())) + line, lines));
                       dictionary.add_message(3, std::string());
                       dictionary.add_string(5, "");
                       const std::string stack =
                           Message([&](pbf_writer& writer) { writer.add_bytes(1, std::string(locations, '\0')); });
                       for (size_t i = 0; i < stacks; ++i) dictionary.add_message(7, stack);
                     }));
  });
}

std::string JfrStack(size_t frames) {
  JfrChunkWriter writer;
  writer.Type("jdk.ExecutionSample", {{"startTime", "long"}, {"stackTrace", "jdk.types.StackTrace", true}});
  writer.Symbol(1, "a.B");
  writer.Symbol(2, "f");
  writer.Class(1, 1);
  writer.Method(1, 1, 2);
  writer.StackTrace(1, std::vector<JfrChunkWriter::Frame>(frames, {.method = 1}));
  writer.Event("jdk.ExecutionSample", {{"startTime", Varint(2000)}, {"stackTrace", Varint(1)}});
  return writer.Finish();
}

struct Hostile {
  const char* name;
  const char* format;
  std::function<std::string()> make;
};

const Hostile kHostile[] = {
    {"a deep stack", "pprof", [] { return Pprof(Location(1) + PprofSample(16 * kMillion)); }},
    {"empty strings", "pprof", [] { return Pprof(Repeat(std::string("\x32\0", 2), 8 * kMillion)); }},
    {"inlined calls", "pprof", [] { return Pprof(Location(100'000) + Repeat(PprofSample(1), 100'000)); }},
    {"chains of inlined calls", "pprof", [] { return Pprof(Location(10'000) + Repeat(PprofSample(100), 20'000)); }},
    {"a deep stack", "otlp", [] { return Otlp(1, 16 * kMillion, 1); }},
    {"empty stacks", "otlp",
     [] {
       return Message([](pbf_writer& data) { data.add_message(2, Repeat(std::string("\x3a\0", 2), 8 * kMillion)); });
     }},
    {"inlined calls", "otlp", [] { return Otlp(20'000, 100, 100'000); }},
    {"a deep stack", "collapsed", [] { return Repeat("a;", 8 * kMillion) + "a 1\n"; }},
    {"many stacks", "collapsed",
     [] {
       std::string text;
       for (size_t i = 0; i < kMillion; ++i) text += std::to_string(i) + " 1\n";
       return text;
     }},
    {"a deep stack", "speedscope",
     [] {
       return R"({"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"}]},)"
              R"("profiles":[{"type":"sampled","unit":"none","startValue":0,"endValue":1,"samples":[[)" +
              Repeat("0,", 8 * kMillion) + R"(0]],"weights":[1]}]})";
     }},
    {"brackets", "firefox", [] { return R"({"meta":{},"threads":[)" + Repeat("[", 8 * kMillion); }},
    {"open calls", "trace-events", [] { return "[" + Repeat(R"({"ph":"B","ts":1,"name":"a"},)", 3 * kMillion); }},
    {"an event of brackets", "trace-events", [] { return R"([{"ph":"X","a":)" + Repeat("[", 64 * kMillion); }},
    {"a deep stack", "legacy-pprof",
     [] {
       std::string text;
       for (const uint64_t word : {0, 3, 0, 1, 0, 1, 4'000'000}) text.append(reinterpret_cast<const char*>(&word), 8);
       return text + Repeat("address!", 4 * kMillion);
     }},
    {"a deep stack", "jfr", [] { return JfrStack(8 * kMillion); }},
};

Result<void> Read(const Hostile& hostile, std::string text) {
  ProfileBuilder builder({.name = "input", .keep_threads = true, .bucket_ns = 1'000'000'000});
  return FindProfileFormat(hostile.format)->read(StringSource(std::move(text)), &builder);
}

TEST(HostileProfilesTest, WhatExpandsToMoreThanTheLimitIsRefused) {
  for (const Hostile& hostile : kHostile) {
    std::string text = hostile.make();
    EXPECT_FALSE(WithinMemory(kLimit, [&] { return Read(hostile, std::move(text)); }))
        << hostile.format << ": " << hostile.name;
  }
}

TEST(HostileProfilesTest, StacksThatRepeatInlinedCallsAreRefusedWithoutALimitOfMemory) {
  const Result<void> read = Read(kHostile[2], kHostile[2].make());
  ASSERT_FALSE(read);
  EXPECT_TRUE(read.error().message.starts_with("input: too large: its stacks have more than ")) << read.error().message;
}

}  // namespace
}  // namespace sparkprof::testing
