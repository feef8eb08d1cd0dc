// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/io/compression.h"
#include "formats/otlp/otlp_messages.h"
#include "formats/testing/read_profile.h"

namespace sparkprof::testing {
namespace {

std::string Field(int tag, const std::string& bytes) {
  return std::string(1, static_cast<char>(tag << 3 | 2)) + static_cast<char>(bytes.size()) + bytes;
}
std::string Number(int tag, int value) { return {static_cast<char>(tag << 3), static_cast<char>(value)}; }

// The dictionary of the stack a;b and the events "samples".
std::string Dictionary() {
  std::string rows;
  // The table of stacks comes first, as async-profiler writes it.
  rows += Field(7, "") + Field(7, Field(1, "\x02\x01"));
  rows += Field(2, "") + Field(2, Field(3, Number(1, 1))) + Field(2, Field(3, Number(1, 2)) + Field(4, "\x01"));
  rows += Field(3, "") + Field(3, Number(1, 3)) + Field(3, Number(1, 4) + Number(3, 5));
  for (const char* text : {"", "samples", "count", "a", "b", "f.py", "profile.frame.type", "cpython", "padding"})
    rows += Field(5, text);
  rows += Field(6, "") + Field(6, Number(1, 6) + Field(2, Number(8, 7)));
  return Field(2, rows);
}
std::string Profiles(int value) {
  const std::string profile = Field(1, Number(1, 1) + Number(2, 2)) +
                              Field(2, Number(1, 1) + Field(4, std::string(1, static_cast<char>(value))));
  return Field(1, Field(2, Field(2, profile)));
}

constexpr const char* kJson =
    R"({"resourceProfiles":[{"scopeProfiles":[{"profiles":[{"sampleType":{"typeStrindex":1,"unitStrindex":2},)"
    R"("samples":[{"stackIndex":1,"values":["3"]},{"stack_index":1,"timestampsUnixNano":["5","6"]}]}]}]}],"dictionary":{)"
    R"("mappingTable":[{}],"locationTable":[{},{"lines":[{"functionIndex":1}]},{"lines":[{"functionIndex":2}],)"
    R"("attributeIndices":[1]}],"functionTable":[{},{"nameStrindex":3},{"nameStrindex":4,"filenameStrindex":5}],)"
    R"("stringTable":["","samples","count","a","b","f.py","profile.frame.type","cpython"],)"
    R"("attributeTable":[{},{"keyStrindex":6,"value":{"stringValue":"cpython"}}],"stackTable":[{},{"locationIndices":[2,1]}]}})";

TEST(OtlpTest, FieldsComeInAnyOrder) {
  for (const std::string& text : {Dictionary() + Profiles(3), Profiles(3) + Dictionary()}) {
    EXPECT_TRUE(LooksLikeOtlp(text));
    EXPECT_EQ(StacksOfText("otlp", text), (Stacks{{"a;b (f.py)", 3}}));
    for (size_t size = 16; size < text.size(); ++size) EXPECT_TRUE(LooksLikeOtlp(text.substr(0, size))) << size;
  }
}

TEST(OtlpTest, StreamsOfMessagesHaveOneDictionaryEach) {
  const std::string first = Dictionary() + Profiles(3), second = Profiles(4) + Dictionary();
  const auto big_endian = [](const std::string& text) {
    return std::string("\0\0", 2) + static_cast<char>(text.size() >> 8) + static_cast<char>(text.size() & 0xFF) + text;
  };
  const auto varint = [](const std::string& text) {
    return std::string(1, static_cast<char>(0x80 | (text.size() & 0x7F))) + static_cast<char>(text.size() >> 7) + text;
  };
  ASSERT_GE(first.size(), 128u);
  EXPECT_EQ(StacksOfText("otlp", big_endian(first) + big_endian(second)), (Stacks{{"a;b (f.py)", 7}}));
  EXPECT_EQ(StacksOfText("otlp", varint(first) + varint(second)), (Stacks{{"a;b (f.py)", 7}}));
  const std::string zstd = big_endian(ZstdCompress(first)) + big_endian(ZstdCompress(kJson));
  EXPECT_EQ(OtlpFramingOf(zstd), OtlpFraming::kLengthPrefixed);
  EXPECT_EQ(StacksOfText("otlp", zstd), (Stacks{{"a;b (f.py)", 8}}));
  const std::string cut = big_endian(first) + big_endian(second).substr(0, 9);
  EXPECT_EQ(DamageOf("otlp", cut),
            "input: offset " + std::to_string(first.size() + 4) +
                ": expected a message of OTLP profiles after its size, found the end of the input");
}

TEST(OtlpTest, JsonIsTheSameMessage) {
  EXPECT_TRUE(LooksLikeOtlp(kJson));
  EXPECT_EQ(StacksOfText("otlp", kJson), (Stacks{{"a;b (f.py)", 5}}));
  const std::string lines = std::string(kJson) + "\n" + kJson + "\n";
  EXPECT_EQ(StacksOfText("otlp", lines), (Stacks{{"a;b (f.py)", 10}}));
  EXPECT_EQ(DamageOf("otlp", std::string(kJson) + "\n{\"resource").substr(0, 46),
            "input: line 2: expected OTLP profiles in JSON:");
  EXPECT_EQ(DamageOf("otlp", R"({"resourceProfiles":[]})").substr(0, 40), "input: offset 0: expected OTLP profiles ");
}

// Like kJson with `profile` instead of its profile, and `tables` in its dictionary.
std::string Json(const std::string& profile, const std::string& tables) {
  return R"({"resourceProfiles":[{"scopeProfiles":[{"profiles":[)" + profile + R"(]}]}],"dictionary":{)" + tables +
         "}}";
}

constexpr const char* kTables =
    R"("mappingTable":[{},{"filenameStrindex":8}],"locationTable":[{},{"lines":[{"functionIndex":1,"line":7}]},)"
    R"({"mapping_index":1,"address":"4096"},{"line":[{"functionIndex":2,"line":"9"},{"functionIndex":1}]}],)"
    R"("functionTable":[{},{"nameStrindex":3},{"nameStrindex":4,"filenameStrindex":5}],)"
    R"("stringTable":["","cpu","nanoseconds","a","b","f.py","thread.id","thread.name","/lib/libc.so","main","process.pid"],)"
    R"("attributeTable":[{},{"keyStrindex":6,"value":{"intValue":"12"}},{"keyStrindex":7,"value":{"stringValueStrindex":9}},)"
    R"({"keyStrindex":10,"value":{"intValue":7}}],)"
    R"("stackTable":[{},{"locationIndices":[1]},{"locationIndices":[3,1]},{"locationIndices":[2]}])";

TEST(OtlpTest, JsonHasFilesLinesThreadsAndTimes) {
  const std::string text =
      Json(R"({"sampleType":{"typeStrindex":1,"unitStrindex":2},"timeUnixNano":"1000000000","samples":[)"
           R"({"stackIndex":1,"values":[5],"attributeIndices":[1,2,3],"timestampsUnixNano":["1500000000"]},)"
           R"({"stackIndex":2,"values":["-3"]},{"stackIndex":3,"values":[2,4]}]})",
           kTables);
  const Result<Profile> profile = ReadProfile("otlp", text, {.keep_threads = true, .bucket_ns = 1, .keep_order = true});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->events[0], (ProfileEvent{"cpu", "ns"}));
  const Stacks stacks = StacksOf(*profile, 0);
  EXPECT_EQ(stacks.at("a:7"), 5);
  EXPECT_EQ(stacks.at("a:7;a;b:9"), -3);
  EXPECT_EQ(stacks.size(), 3u);
  EXPECT_EQ(profile->threads[profile->samples[0].thread], (ProfileThread{7, 12, "main"}));
  EXPECT_EQ(profile->samples[0].time_ns, 1'500'000'000);
  EXPECT_EQ(profile->threads[profile->samples[1].thread], ProfileThread{});
}

TEST(OtlpTest, SamplesOfAPeriodOfCpuAreCpuTime) {
  const std::string tables =
      R"("mappingTable":[{}],"locationTable":[{},{"lines":[{"functionIndex":1}]}],"functionTable":[{},{"nameStrindex":5}],)"
      R"("stringTable":["","samples","count","cpu","nanoseconds","a","events"],"stackTable":[{},{"locationIndices":[1]}])";
  const auto profile_of = [&](const std::string& type, const std::string& period) {
    return ReadProfile("otlp",
                       Json(R"({"sampleType":)" + type + R"(,"periodType":{"typeStrindex":3,"unitStrindex":4},)" +
                                R"("period":")" + period + R"(","samples":[{"stackIndex":1,"values":["3"]},)" +
                                R"({"stackIndex":1,"timestampsUnixNano":["5","6"]}]})",
                            tables));
  };
  const std::string samples = R"({"typeStrindex":1,"unitStrindex":2})",
                    events = R"({"typeStrindex":6,"unitStrindex":2})";
  const Result<Profile> timed = profile_of(samples, "50000000");
  ASSERT_TRUE(timed) << timed.error().message;
  EXPECT_EQ(timed->events[0], (ProfileEvent{"cpu", "ns"}));
  EXPECT_EQ(StacksOf(*timed, 0), (Stacks{{"a", 250'000'000}}));
  int64_t count = 0;
  for (const Sample& sample : timed->samples) count += sample.count;
  EXPECT_EQ(count, 5);
  EXPECT_EQ(profile_of(samples, "0")->events[0], (ProfileEvent{"samples", "count"}));
  EXPECT_EQ(profile_of(events, "50000000")->events[0], (ProfileEvent{"events", "count"}));
}

TEST(OtlpTest, JavaMethodsHaveNoSignature) {
  const auto frame_of = [](const std::string& method) {
    return StacksOfText(
        "otlp",
        Json(R"({"sampleType":{"typeStrindex":1,"unitStrindex":2},"samples":[{"stackIndex":1,"values":["3"]}]})",
             R"("mappingTable":[{}],"locationTable":[{},{"lines":[{"functionIndex":1}],"attributeIndices":[1]}],)"
             R"("functionTable":[{},{"nameStrindex":3}],"stringTable":["","cpu","nanoseconds",")" +
                 method +
                 R"(","profile.frame.type"],)"
                 R"("attributeTable":[{},{"keyStrindex":4,"value":{"stringValue":"jvm"}}],)"
                 R"("stackTable":[{},{"locationIndices":[1]}])"));
  };
  EXPECT_EQ(frame_of("boolean java.lang.StringLatin1.equals(byte[], byte[])"),
            (Stacks{{"java.lang.StringLatin1.equals", 3}}));
  EXPECT_EQ(frame_of("void org.example.Job.<init>()"), (Stacks{{"org.example.Job.<init>", 3}}));
  EXPECT_EQ(frame_of("java.lang.Thread.run"), (Stacks{{"java.lang.Thread.run", 3}}));
}

TEST(OtlpTest, OtherContentIsNotOtlp) {
  for (const char* text : {"\n\n", "\x12 a;b 3\n", "{\"dictionary\":1}", "\n\x7f\x7f\x7f\x7f"})
    EXPECT_FALSE(LooksLikeOtlp(text)) << text;
}

}  // namespace
}  // namespace sparkprof::testing
