// SPDX-License-Identifier: Apache-2.0
// Exact output of writers whose formats sparkprof does not read back in full.
#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <string_view>

#include "base/text/text.h"
#include "model/samples/profile_builder.h"
#include "render/writers/profile_writers.h"

namespace sparkprof {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

template <typename Write>
std::string Written(Write&& write) {
  std::string content;
  OutputFile output = OutputFile::ToMemory(&content);
  write(&output);
  EXPECT_TRUE(output.Commit());
  return content;
}

std::string Firefox(const Profile& profile) {
  return Written([&](OutputFile* output) { WriteFirefox(profile, output); });
}

// Without line ends.
std::string Joined(std::string text) {
  std::erase(text, '\n');
  return text;
}

std::string FromThreadsOn(const std::string& json) { return json.substr(json.find("\"libs\"")); }

// The data inside the page, or the error.
std::string Heatmap(const Profile& profile, EventId event = 0) {
  Result<void> outcome;
  const std::string page = Written([&](OutputFile* output) { outcome = WriteHeatmap(profile, event, output); });
  if (!outcome) return outcome.error().message;
  const std::string opening = R"(<script id="sparkprof-heatmap" type="application/octet-stream">)";
  const size_t begin = page.find(opening) + opening.size();
  const std::string packed = Base64Decode(page.substr(begin, page.find('<', begin) - begin)).value_or("");
  std::string data(1 << 16, '\0');
  z_stream stream{};
  inflateInit2(&stream, 16 + MAX_WBITS);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(data.data());
  stream.avail_out = static_cast<uInt>(data.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  data.resize(stream.total_out);
  inflateEnd(&stream);
  return data;
}

class WritersTest : public testing::Test {
 protected:
  Profile& profile() { return builder_.profile(); }
  FrameId Frame(std::string_view name, FrameKind kind, std::string_view file = {}, uint32_t line = 0) {
    return profile().frames.Intern({profile().strings.Intern(name), profile().strings.Intern(file), line, kind});
  }
  StackId Stack(std::initializer_list<FrameId> root_first) {
    StackId stack = 0;
    for (const FrameId frame : root_first) stack = profile().stacks.Push(stack, frame);
    return stack;
  }

  ProfileBuilder builder_{{.name = "a.jfr", .keep_threads = true, .bucket_ns = 1}};
};

TEST_F(WritersTest, FirefoxHasAThreadForEachThreadAndEvent) {
  const EventId cpu = builder_.AddEvent("cpu", "ns"), alloc = builder_.AddEvent("alloc", "bytes");
  const StackId run = Stack({Frame("run", FrameKind::kJit, "Thread.java", 840)});
  const StackId read = Stack({Frame("run", FrameKind::kJit, "Thread.java", 840), Frame("read", FrameKind::kNative),
                              Frame("sys_read", FrameKind::kKernel), Frame("udf", FrameKind::kPython, "job.py", 3)});
  const StackId others = Stack({Frame("udf", FrameKind::kInterpreted, "job.py", 4), Frame("run", FrameKind::kInlined),
                                Frame("root", FrameKind::kSynthetic)});
  const uint32_t main = builder_.AddThread({.process = 7, .tid = 12, .name = "main"});
  const uint32_t unnamed = builder_.AddThread({.process = 7, .tid = 13});
  builder_.Add({.stack = read, .thread = main, .event = cpu, .time_ns = 5 * kSecond + 2'500'000, .weight = 1'500'000});
  builder_.Add({.stack = run, .thread = main, .event = cpu, .time_ns = 5 * kSecond, .weight = 10'000'000});
  builder_.Add({.stack = others, .thread = unnamed, .event = alloc, .time_ns = 6 * kSecond, .weight = 4096});
  builder_.Add({.stack = 0, .thread = unnamed, .event = alloc, .time_ns = 7 * kSecond, .weight = 1});
  const std::string json = Firefox(builder_.Take());
  EXPECT_NE(json.find("\"startTime\":5000,"), std::string::npos) << json;
  EXPECT_EQ(FromThreadsOn(json), Joined(R"json(
"libs":[],"pages":[]
,"threads":[{"processType":"default","processName":"a.jfr","processStartupTime":0,"processShutdownTime":null
,"registerTime":0,"unregisterTime":null,"pausedRanges":[]
,"name":"main (cpu)","sparkprofThread":"main","sparkprofEvent":"cpu","isMainThread":true,"pid":"7","tid":12
,"samples":{"weightType":"tracing-ms","weight":[10,1.5],"stack":[0,3],"time":[0,2.5],"length":2},"markers":{"data":[]
,"name":[],"startTime":[],"endTime":[],"phase":[],"category":[],"length":0}
,"stackTable":{"frame":[0,1,2,3],"prefix":[null,0,1,2],"length":4}
,"frameTable":{"address":[-1,-1,-1,-1],"inlineDepth":[0,0,0,0],"category":[1,2,3,4]
,"subcategory":[0,0,0,0],"func":[0,1,2,3],"nativeSymbol":[null,null,null,null]
,"innerWindowID":[null,null,null,null],"line":[840,null,null,3],"column":[null,null,null,null],"length":4}
,"funcTable":{"isJS":[false,false,false,false],"relevantForJS":[false,false,false,false],"name":[0,1,2,3]
,"resource":[-1,-1,-1,-1],"fileName":[4,null,null,5],"lineNumber":[null,null,null,null]
,"columnNumber":[null,null,null,null],"length":4},"resourceTable":{"lib":[]
,"name":[],"host":[],"type":[],"length":0},"nativeSymbols":{"libIndex":[],"address":[]
,"name":[],"functionSize":[],"length":0}}
,{"processType":"default","processName":"a.jfr","processStartupTime":0,"processShutdownTime":null
,"registerTime":0,"unregisterTime":null,"pausedRanges":[]
,"name":"13 (alloc)","sparkprofThread":"","sparkprofEvent":"alloc","isMainThread":false,"pid":"7","tid":13
,"samples":{"weightType":"bytes","weight":[4096,1],"stack":[2,null],"time":[1000,2000],"length":2}
,"markers":{"data":[],"name":[],"startTime":[],"endTime":[],"phase":[],"category":[],"length":0}
,"stackTable":{"frame":[0,1,2],"prefix":[null,0,1],"length":3}
,"frameTable":{"address":[-1,-1,-1],"inlineDepth":[0,0,0],"category":[1,1,0]
,"subcategory":[0,0,0],"func":[0,1,2],"nativeSymbol":[null,null,null],"innerWindowID":[null,null,null]
,"line":[4,null,null],"column":[null,null,null],"length":3}
,"funcTable":{"isJS":[false,false,false],"relevantForJS":[false,false,false],"name":[3,0,6]
,"resource":[-1,-1,-1],"fileName":[5,null,null],"lineNumber":[null,null,null]
,"columnNumber":[null,null,null],"length":3},"resourceTable":{"lib":[]
,"name":[],"host":[],"type":[],"length":0},"nativeSymbols":{"libIndex":[],"address":[]
,"name":[],"functionSize":[],"length":0}}]
,"shared":{"stringArray":["run","read","sys_read","udf","Thread.java","job.py","root"]}})json") +
                                     "\n");
}

TEST_F(WritersTest, FirefoxNumbersSamplesWithoutTimesAndThreadsWithoutIds) {
  const EventId cpu = builder_.AddEvent("cpu", "count");
  builder_.Add({.stack = Stack({Frame("a", FrameKind::kUnknown)}), .event = cpu, .weight = 3});
  builder_.Add({.stack = Stack({Frame("b", FrameKind::kUnknown)}), .event = cpu, .weight = 2});
  const std::string json = Firefox(builder_.Take());
  EXPECT_EQ(FromThreadsOn(json), Joined(R"json(
"libs":[],"pages":[]
,"threads":[{"processType":"default","processName":"a.jfr","processStartupTime":0,"processShutdownTime":null
,"registerTime":0,"unregisterTime":null,"pausedRanges":[]
,"name":"a.jfr","sparkprofThread":"","sparkprofEvent":"cpu","isMainThread":true,"pid":"0","tid":0
,"samples":{"weightType":"samples","weight":[3,2],"stack":[0,1],"time":[0,1],"length":2},"markers":{"data":[]
,"name":[],"startTime":[],"endTime":[],"phase":[],"category":[],"length":0}
,"stackTable":{"frame":[0,1],"prefix":[null,null],"length":2}
,"frameTable":{"address":[-1,-1],"inlineDepth":[0,0],"category":[0,0]
,"subcategory":[0,0],"func":[0,1],"nativeSymbol":[null,null],"innerWindowID":[null,null],"line":[null,null]
,"column":[null,null],"length":2},"funcTable":{"isJS":[false,false],"relevantForJS":[false,false],"name":[0,1]
,"resource":[-1,-1],"fileName":[null,null],"lineNumber":[null,null],"columnNumber":[null,null],"length":2}
,"resourceTable":{"lib":[],"name":[],"host":[],"type":[],"length":0},"nativeSymbols":{"libIndex":[],"address":[]
,"name":[],"functionSize":[],"length":0}}],"shared":{"stringArray":["a","b"]}})json") +
                                     "\n");
}

TEST_F(WritersTest, FirefoxStartsWhereTheProfileDoes) {
  const EventId cpu = builder_.AddEvent("cpu", "count");
  builder_.Add({.stack = Stack({Frame("a", FrameKind::kUnknown)}), .event = cpu, .time_ns = 3 * kSecond, .weight = 3});
  profile().start_ns = 2 * kSecond;
  const std::string json = Firefox(builder_.Take());
  EXPECT_NE(json.find("\"startTime\":2000,"), std::string::npos) << json;
  EXPECT_NE(json.find("\"time\":[1000]"), std::string::npos) << json;
}

TEST_F(WritersTest, AHeatMapHasTheSamplesOfEachEventInOrderOfTime) {
  const EventId cpu = builder_.AddEvent("cpu", "ns"), alloc = builder_.AddEvent("alloc", "bytes");
  const StackId a = Stack({Frame("a", FrameKind::kUnknown)});
  const StackId b = Stack({Frame("a", FrameKind::kUnknown), Frame("b", FrameKind::kUnknown)});
  builder_.Add({.stack = b, .event = cpu, .time_ns = 5 * kSecond + 519'999'999, .weight = 30});
  builder_.Add({.stack = a, .event = cpu, .time_ns = 5 * kSecond + 520'000'000, .weight = 20});
  builder_.Add({.stack = a, .event = cpu, .time_ns = 5 * kSecond + 510'000'000, .weight = 10});
  builder_.Add({.stack = a, .event = alloc, .time_ns = 7 * kSecond, .weight = 40});
  builder_.Add({.stack = a, .event = alloc, .time_ns = kNoTime, .weight = 50});
  EXPECT_EQ(Heatmap(builder_.Take(), alloc), Joined(R"json(
{"name":"a.jfr","bucketMs":20,"lastBucket":100,"defaultEvent":1,"events":[{"name":"cpu"
,"unit":"ns"},{"name":"alloc","unit":"bytes"}],"labels":["[unknown]","a","b"],"stacks":{"parent":[0,0,1]
,"frame":[0,1,2]}
,"samples":[{"time":[25,0,1],"stack":[1,2,1],"weight":[10,30,20]},{"time":[100],"stack":[1],"weight":[40]}]})json"));
}

TEST_F(WritersTest, AHeatMapStartsAtAFullSecondBefore1970Too) {
  const EventId cpu = builder_.AddEvent("cpu", "ns");
  const StackId a = Stack({Frame("a", FrameKind::kUnknown)});
  builder_.Add({.stack = a, .event = cpu, .time_ns = -kSecond / 2, .weight = 1});
  EXPECT_NE(Heatmap(builder_.Take()).find("\"lastBucket\":25,"), std::string::npos);
}

TEST_F(WritersTest, AHeatMapOfNothingOrOfTooMuchIsAnError) {
  const EventId cpu = builder_.AddEvent("cpu", "ns");
  const StackId a = Stack({Frame("a", FrameKind::kUnknown)});
  profile().samples.push_back({.stack = a, .event = cpu, .time_ns = kNoTime, .weight = 1});
  EXPECT_EQ(Heatmap(profile()).find("a.jfr: samples have no timestamps; a heat map needs "), 0u);
  profile().samples.push_back({.stack = a, .event = cpu, .time_ns = 3 * kSecond, .weight = 1});
  profile().samples.push_back({.stack = a, .event = cpu, .time_ns = (3 + kMaxHeatmapSeconds) * kSecond, .weight = 1});
  EXPECT_EQ(Heatmap(profile()).find("{\"name\":\"a.jfr\""), 0u);
  profile().samples.push_back({.stack = a, .event = cpu, .time_ns = (4 + kMaxHeatmapSeconds) * kSecond, .weight = 1});
  EXPECT_EQ(Heatmap(profile()).find("a.jfr: samples span more than "), 0u);
}

}  // namespace
}  // namespace sparkprof
