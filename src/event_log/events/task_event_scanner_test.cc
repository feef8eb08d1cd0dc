// SPDX-License-Identifier: Apache-2.0
#include "event_log/events/task_event_scanner.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "event_log/event_parser.h"

namespace sparkprof {
namespace {

const std::string kInfo =
    R"("Task Info":{"Task ID":39,"Index":26,"Attempt":1,"Partition ID":27,"Launch Time":1741202928732,"Executor ID":"11",)"
    R"("Host":"worker-3.example","Locality":"RACK_LOCAL","Speculative":true,"Getting Result Time":1741202928900,)"
    R"("Finish Time":1741202928905,"Failed":false,"Killed":false,"Accumulables":[)";
const std::string kStart = R"({"Event":"SparkListenerTaskStart","Stage ID":13,"Stage Attempt ID":1,)" + kInfo + "]}}";
const std::string kEndHead =
    R"({"Event":"SparkListenerTaskEnd","Stage ID":13,"Stage Attempt ID":1,"Task Type":"ShuffleMapTask","Task End Reason":)"
    R"({"Reason":"Success"},)" +
    kInfo;
const std::string kAccumulables =
    R"({"ID":325,"Name":"number of output rows","Update":"250000","Value":"-1","Internal":true,)"
    R"("Count Failed Values":true,"Metadata":"sql"},)"
    R"({"ID":326,"Name":"internal.metrics.resultSize","Update":2097,"Value":4194,"Internal":true,)"
    R"("Count Failed Values":false},)"
    R"({"ID":327,"Name":"of a user","Update":"3.5","Value":"7","Internal":false,"Count Failed Values":false},)"
    R"({"ID":328,"Name":"size","Update":"-12","Value":"9","Internal":true,"Count Failed Values":true,"Metadata":"sql"}]})";
const std::string kPeaks = R"(,"Task Executor Metrics":{"JVMHeapMemory":1253223880,"MinorGCCount":12,"TotalGCTime":0})";
const std::string kMetrics =
    R"(,"Task Metrics":{"Executor Deserialize Time":101,"Executor Deserialize CPU Time":75243899,"Executor Run Time":47,)"
    R"("Executor CPU Time":23196392,"Peak Execution Memory":262144,"Peak On Heap Execution Memory":1310704,)"
    R"("Result Size":2097,"JVM GC Time":3,"Result Serialization Time":1,"Memory Bytes Spilled":123456789012345678,)"
    R"("Disk Bytes Spilled":0,"Shuffle Read Metrics":{"Remote Blocks Fetched":2,"Local Blocks Fetched":0,)"
    R"("Fetch Wait Time":6,"Remote Bytes Read":77,"Remote Bytes Read To Disk":0,"Local Bytes Read":5,)"
    R"("Total Records Read":8,"Push Based Shuffle":{"Corrupt Merged Block Chunks":0,"Merged Fetch Fallback Count":1}},)"
    R"("Shuffle Write Metrics":{"Shuffle Bytes Written":8,"Shuffle Write Time":9,"Shuffle Records Written":10},)"
    R"("Input Metrics":{"Bytes Read":11,"Records Read":12},"Output Metrics":{"Bytes Written":0,"Records Written":0},)"
    R"("Updated Blocks":[]}})";
const std::string kEnd = kEndHead + kAccumulables + kPeaks + kMetrics;

struct Decoded {
  DecodedTask task;
  TaskLists lists;
};

void ExpectSame(const Decoded& scanned, const Decoded& parsed, const std::string& event) {
  const auto members = [](const DecodedTask& task) {
    return std::make_tuple(task.kind, task.id, task.stage_id, task.stage_attempt, task.index, task.attempt,
                           task.partition, task.launch_ns, task.finish_ns, std::string(task.executor),
                           std::string(task.host), task.locality, task.speculative, task.outcome, task.has_reason,
                           task.reason, task.peaks, task.updates, task.blocks);
  };
  EXPECT_EQ(members(scanned.task), members(parsed.task)) << event;
  EXPECT_EQ(scanned.lists.values, parsed.lists.values) << event;
  EXPECT_EQ(scanned.lists.peaks, parsed.lists.peaks) << event;
  EXPECT_EQ(scanned.lists.updates, parsed.lists.updates) << event;
}

class TaskEventScannerTest : public ::testing::Test {
 protected:
  // In memory of its own, with what a block of lines has behind it, so that sanitizers see reads beyond that.
  std::string_view Keep(const std::string& event) {
    kept_ = event + '\n' + std::string(PlainJson::kPadding, '\0');
    kept_.shrink_to_fit();
    return std::string_view(kept_).substr(0, event.size() + 1);
  }

  std::optional<Decoded> Scan(const std::string& event) {
    Decoded decoded;
    TaskEventScanner scanner;
    const size_t size = scanner.Scan(Keep(event), &decoded.lists, &decoded.task);
    if (size == 0) {
      EXPECT_TRUE(decoded.lists.values.empty() && decoded.lists.peaks.empty() && decoded.lists.updates.empty())
          << event;
      return std::nullopt;
    }
    EXPECT_EQ(size, event.size());
    return decoded;
  }

  std::optional<Decoded> Parse(const std::string& event) {
    const std::optional<simdjson::dom::object> object = parser_.Parse(event, event.size());
    Decoded decoded;
    if (!object || !DecodeTask(EventName(*object), *object, &decoded.lists, &decoded.task)) return std::nullopt;
    return decoded;
  }

  void ExpectScannedAsParsed(const std::string& event) {
    const std::optional<Decoded> scanned = Scan(event), parsed = Parse(event);
    ASSERT_TRUE(scanned && parsed) << event;
    ExpectSame(*scanned, *parsed, event);
  }

 private:
  std::string kept_;
  EventParser parser_;
};

std::string Replaced(std::string text, const std::string& part, const std::string& by) {
  return text.replace(text.find(part), part.size(), by);
}

TEST_F(TaskEventScannerTest, EventsAreDecodedAsTheParserDecodesThem) {
  ExpectScannedAsParsed(kStart);
  ExpectScannedAsParsed(kEnd);
  EXPECT_EQ(Scan(kEnd)->lists.updates, (std::vector<std::pair<int64_t, int64_t>>{{325, 250000}, {328, -12}}));
}

TEST_F(TaskEventScannerTest, OlderVersionsLackMembers) {
  ExpectScannedAsParsed(Replaced(kStart, R"("Partition ID":27,)", ""));
  ExpectScannedAsParsed(Replaced(kEnd, kPeaks, ""));
  ExpectScannedAsParsed(Replaced(kEnd, R"(,"Metadata":"sql")", ""));
  ExpectScannedAsParsed(Replaced(kEnd, kAccumulables, "]}"));
}

TEST_F(TaskEventScannerTest, MetricsMayMoveAndBeUnknown) {
  ExpectScannedAsParsed(Replaced(kEnd, R"("Executor Run Time":47,)", R"("Executor Naps":5,)"));
  ExpectScannedAsParsed(Replaced(kEnd, R"("Executor Run Time":47,"Executor CPU Time":23196392)",
                                 R"("Executor CPU Time":23196392,"Executor Run Time":47)"));
  ExpectScannedAsParsed(
      Replaced(kEnd, R"("Input Metrics":{"Bytes Read":11,"Records Read":12})", R"("Input Metrics":{})"));
}

TEST_F(TaskEventScannerTest, OtherEventsAreLeftToTheParser) {
  const std::vector<std::pair<std::string, std::string>> changes = {
      {R"({"Reason":"Success"})", R"({"Reason":"TaskKilled"})"},
      {R"("Failed":false)", R"("Failed":true)"},
      {R"("Task ID":39)", R"("Task ID":-1)"},
      {R"("Task ID":39)", R"("Task ID":1234567890123456789)"},
      {R"("Task ID":39)", R"("Task ID":39.0)"},
      {R"("Task ID":39)", R"("Task ID":039)"},
      {R"("Task ID":39)", R"("Task ID": 39)"},
      {"worker-3", "worker\\u002d3"},
      {"worker-3", "w\xc3\xb6rker"},
      {R"("Updated Blocks":[])", R"("Updated Blocks":[{"Block ID":"rdd_1_38","Status":{}}])"},
      {R"("Peak Execution Memory":262144,)", ""},
      {R"("Input Metrics")", R"("Other Metrics")"},
      {R"("Update":2097)", R"("Update":[2097])"},
      {R"("Update":2097)", R"("Update":2.5e3)"}};
  for (const auto& [part, by] : changes) EXPECT_FALSE(Scan(Replaced(kEnd, part, by))) << by;
  EXPECT_FALSE(Scan(kEnd + "}"));
  EXPECT_FALSE(Scan(R"({"Event":"SparkListenerJobEnd","Job ID":3})"));
  EXPECT_FALSE(Scan(""));
}

TEST_F(TaskEventScannerTest, EveryCutEventIsLeftToTheParser) {
  for (const std::string& event : {kStart, kEnd}) {
    for (size_t size = 0; size < event.size(); ++size) EXPECT_FALSE(Scan(event.substr(0, size))) << size;
  }
}

TEST_F(TaskEventScannerTest, WhateverIsScannedOfDamagedEventsTheParserReadsAlike) {
  size_t scanned = 0;
  for (size_t at = 0; at < kEnd.size(); ++at) {
    for (const char damage : std::string_view("\0 \"\\,:{}[]-07x\xff", 16)) {
      std::string event = kEnd;
      event[at] = damage;
      const std::optional<Decoded> found = Scan(event);
      if (!found) continue;
      ++scanned;
      const std::optional<Decoded> parsed = Parse(event);
      ASSERT_TRUE(parsed) << event;
      ExpectSame(*found, *parsed, event);
    }
  }
  EXPECT_GT(scanned, 1000u);  // other digits and other letters of names
}

TEST_F(TaskEventScannerTest, OnlyPeaksAboveThoseBeforeAreKept) {
  const auto event = [](const std::string& executor, const std::string& heap, const std::string& collections) {
    return Replaced(Replaced(Replaced(kEnd, R"("Executor ID":"11")", R"("Executor ID":")" + executor + '"'),
                             R"("JVMHeapMemory":1253223880)", R"("JVMHeapMemory":)" + heap),
                    R"("MinorGCCount":12)", R"("MinorGCCount":)" + collections);
  };
  // The same text again has nothing new, and neither have smaller numbers.
  const std::vector<std::string> events = {event("1", "50", "3"), event("1", "50", "3"), event("2", "40", "3"),
                                           event("1", "60", "2"), event("1", "55", "4"), event("1", "55", "4")};
  std::string lines;
  for (const std::string& one : events) lines += one + "\r\n";
  lines += std::string(PlainJson::kPadding, '\0');
  TaskEventScanner scanner;
  TaskLists lists;
  std::vector<size_t> peaks;
  std::string_view rest = lines;
  for (const std::string& one : events) {
    DecodedTask task;
    ASSERT_EQ(scanner.Scan(rest, &lists, &task), one.size());
    peaks.push_back(task.peaks);
    rest.remove_prefix(one.size() + 2);
  }
  EXPECT_EQ(peaks, (std::vector<size_t>{3, 0, 3, 1, 1, 0}));
  EXPECT_EQ(lists.peaks[6].second, 60);
  EXPECT_EQ(lists.peaks[7], (std::pair<std::string_view, int64_t>("MinorGCCount", 4)));
  scanner.Reset();
  DecodedTask task;
  ASSERT_GT(scanner.Scan(lines, &lists, &task), 0u);
  EXPECT_EQ(task.peaks, 3u);
}

}  // namespace
}  // namespace sparkprof
