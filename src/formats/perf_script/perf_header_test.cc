// SPDX-License-Identifier: Apache-2.0
#include "formats/perf_script/perf_header.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "model/samples/sample.h"

namespace sparkprof {
namespace {

// "COMMAND|IDS|TIME|EVENT|PERIOD|REST"
std::string Fields(std::string_view line) {
  const std::optional<PerfHeader> header = ParsePerfHeader(line);
  if (!header) return "none";
  if (header->is_record) return "record";
  return fmt::format("{}|{}|{}|{}|{}|{}", header->command, header->ids, header->time, header->event, header->period,
                     header->rest);
}

// Headers in the form of perf 6.1.
TEST(PerfHeaderTest, EveryChoiceOfFieldsIsRead) {
  EXPECT_EQ(Fields("java 24636/25607 [000] 12.500000:   1000 cycles:pppH: "),
            "java|24636/25607|12.500000|cycles:pppH|1000|");
  EXPECT_EQ(Fields("V8 Worker 25607 12.500000: cpu-clock: "), "V8 Worker|25607|12.500000|cpu-clock|1|");
  EXPECT_EQ(Fields("swapper     0 [001] 12.5:  7 cycles: "), "swapper|0|12.5|cycles|7|");
  EXPECT_EQ(Fields(":-1    -1 [001] 12.5:  7 cycles: "), ":-1|-1|12.5|cycles|7|");
  EXPECT_EQ(Fields("sleep 22733 "), "sleep|22733|||1|");
  EXPECT_EQ(Fields("sleep 22733 12.5: "), "sleep|22733|12.5||1|");
  EXPECT_EQ(Fields("sleep 12.5:   250000 cpu-clock: "), "sleep||12.5|cpu-clock|250000|");
  EXPECT_EQ(Fields("sleep [000] 12.5: cpu-clock: "), "sleep||12.5|cpu-clock|1|");
  EXPECT_EQ(Fields("22733 12.5: cpu-clock: "), "|22733|12.5|cpu-clock|1|");
  EXPECT_EQ(Fields("22733/22734 12.5:  250000 cpu-clock: "), "|22733/22734|12.5|cpu-clock|250000|");
  EXPECT_EQ(Fields("sleep 22733 U    12.5: 250000 cpu-clock:     "), "sleep|22733|12.5|cpu-clock|250000|");
  EXPECT_EQ(Fields("cpu-clock: "), "|||cpu-clock|1|");
  EXPECT_EQ(Fields("Gecko\t25122 [007] 12.5:\t\t1000 task-clock:u:"), "Gecko|25122|12.5|task-clock:u|1000|");
  EXPECT_EQ(Fields("at com.example.Load.main(Load.java:7)"), "none");
}

TEST(PerfHeaderTest, PeriodsWithoutATimeAreNotReadAsInTheOtherTools) {
  EXPECT_EQ(Fields("sleep 22733     250000 cpu-clock: "), "sleep|22733||cpu-clock|1|");
  EXPECT_EQ(Fields("sleep 22733 U   250000 cpu-clock:  "), "sleep|22733||cpu-clock|1|");
}

TEST(PerfHeaderTest, TheOnlyFrameMayFollow) {
  EXPECT_EQ(Fields("      sleep 39654 12.5:  5 cycles:u:  7fa6 main+0x4 (/x)"),
            "sleep|39654|12.5|cycles:u|5|7fa6 main+0x4 (/x)");
  EXPECT_EQ(Fields("      sleep 39654  7fa6 main+0x4 (/x)"), "sleep|39654|||1|7fa6 main+0x4 (/x)");
  EXPECT_EQ(Fields("cycles:    7fa6 main+0x4 (/x)"), "|||cycles|1|7fa6 main+0x4 (/x)");
  EXPECT_EQ(Fields("dd 1 [000] 12.5: sched:sched_switch: prev_pid=0 ==> next_pid=7"),
            "dd|1|12.5|sched:sched_switch|1|prev_pid=0 ==> next_pid=7");
}

TEST(PerfHeaderTest, RecordsAreNotSamples) {
  EXPECT_EQ(Fields("perf-exec     0     0.000000: PERF_RECORD_COMM: perf-exec:31337/31337"), "record");
  EXPECT_EQ(Fields("burn 31337 12.5: PERF_RECORD_MMAP2 31337/31337: [0x1(0x2) @ 0]: r-xp /x"), "record");
}

TEST(PerfHeaderTest, TimesThatDoNotFitAreUnknown) {
  EXPECT_EQ(ParsePerfHeader("a 1 4794564.109216: 5 x:")->TimeNs(), 4'794'564'109'216'000);
  EXPECT_EQ(ParsePerfHeader("a 1 4794564.1092161234: 5 x:")->TimeNs(), 4'794'564'109'216'123);
  EXPECT_EQ(ParsePerfHeader("a 1 9300000000.0: 5 x:")->TimeNs(), kNoTime);
  EXPECT_EQ(ParsePerfHeader("a 1 5 x:")->TimeNs(), kNoTime);
}

}  // namespace
}  // namespace sparkprof
