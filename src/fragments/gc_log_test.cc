// SPDX-License-Identifier: Apache-2.0
#include "fragments/gc_log.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text/text.h"
#include "fragments/testing/answer_text.h"

namespace sparkprof {
namespace {

using testing::AnswerStartsOf;
using testing::AnswerText;
using testing::Summary;

constexpr int64_t kMiB = 1 << 20;

GcLog Read(std::string_view text) {
  GcLogReader reader;
  while (!text.empty()) reader.AddLine(TakeLine(&text));
  return reader.Finish();
}

constexpr char kG1[] =
    "[2026-11-28T07:00:01.000+0000][0.010s][info][gc] Using G1\n"
    "[2026-11-28T07:00:01.000+0000][0.010s][info][gc,init] Heap Region Size: 1M\n"
    "[2026-11-28T07:00:01.000+0000][0.010s][info][gc,init] Heap Max Capacity: 1G\n"
    "[2026-11-28T07:00:02.000+0000][1.000s][info][gc,start    ] GC(0) Pause Young (Normal) (G1 Evacuation Pause)\n"
    "[2026-11-28T07:00:02.200+0000][1.200s][info][gc          ] GC(0) Pause Young (Normal) (G1 Evacuation Pause) "
    "512M->100M(1024M) 200.000ms\n"
    "[2026-11-28T07:00:03.000+0000][2.000s][info][gc          ] GC(1) To-space exhausted\n"
    "[2026-11-28T07:00:03.400+0000][2.400s][info][gc          ] GC(1) Pause Young (Concurrent Start) (G1 Humongous "
    "Allocation) 1000M->950M(1024M) 400.000ms\n"
    "[2026-11-28T07:00:03.400+0000][2.400s][info][gc          ] GC(2) Concurrent Mark Cycle\n"
    "[2026-11-28T07:00:03.500+0000][2.500s][info][gc          ] GC(2) Pause Remark 960M->960M(1024M) 1.000ms\n"
    "[2026-11-28T07:00:03.600+0000][2.600s][info][gc          ] GC(2) Concurrent Mark Cycle 200.000ms\n"
    "[2026-11-28T07:00:05.010+0000][4.010s][info][gc          ] GC(3) Pause Full (G1 Compaction Pause) "
    "1020M->900M(1024M) 1000.500ms\n";

TEST(GcLogTest, AddsUpTheUnifiedLogOfG1) {
  const GcLog log = Read(kG1);
  EXPECT_EQ(log.collector, "G1");
  EXPECT_EQ(log.pauses, 4);
  EXPECT_EQ(log.pause_ns, 1'601'500'000);
  EXPECT_EQ(log.longest_ns, 1'000'500'000);
  EXPECT_EQ(log.longest, "Pause Full (G1 Compaction Pause)");
  EXPECT_EQ(log.elapsed_ns, 4'000'000'000);
  EXPECT_EQ(log.full, 1);
  EXPECT_EQ(log.humongous, 1);
  EXPECT_EQ(log.without_room, 1);
  EXPECT_EQ(log.allocated_bytes, (900 + 10 + 60) * kMiB) << "between collections";
  EXPECT_EQ(log.max_heap_bytes, 1024 * kMiB);
  EXPECT_EQ(log.region_bytes, kMiB);
  EXPECT_EQ(log.live_bytes, 900 * kMiB);
  EXPECT_TRUE(log.is_live_exact);
}

TEST(GcLogTest, TheFindingHasEvidenceAndSizes) {
  const FragmentAnswer answer = AnswerText(kG1);
  EXPECT_EQ(Summary(answer),
            "A GC log of the JVM: GC with G1 takes 40.0% of 4.0 s.\n"
            "4 pauses, 1.6 s in total of 4.0 s, the longest 1.0 s (Pause Full (G1 Compaction Pause))\n"
            "1 collection of the whole heap, 1.0 s\n"
            "345 MiB allocated per second\n"
            "1 collection for humongous objects\n"
            "1 collection without room to copy objects (evacuation failure)\n"
            "900 MiB of 1.0 GiB in use after collections of the whole heap\n"
            "gc: GC takes 40.0% of the JVM's time\n");
  const Finding& finding = answer.answers.findings.front();
  EXPECT_EQ(finding.severity, Severity::kHigh);
  EXPECT_FALSE(IsFolded(finding));
  EXPECT_NE(finding.change.find("Increase the heap to 2g"), std::string::npos) << finding.change;
  EXPECT_NE(finding.change.find("-XX:G1HeapRegionSize=2m"), std::string::npos) << finding.change;
}

TEST(GcLogTest, ReadsLinesWithoutDecorations) {
  const GcLog log = Read("GC(7) Pause Young (Allocation Failure) 512M->128M(1024M) 12.5ms\n");
  EXPECT_EQ(log.pauses, 1);
  EXPECT_EQ(log.pause_ns, 12'500'000);
  EXPECT_EQ(log.elapsed_ns, 0);
}

TEST(GcLogTest, ReadsZgcWithGenerationsAndStalls) {
  const GcLog log = Read(
      "[0.1s][info][gc,init] Initializing The Z Garbage Collector\n"
      "[0.1s][info][gc] Using The Z Garbage Collector\n"
      "[1.0s][info][gc,phases] GC(0) Y: Pause Mark Start 0.014ms\n"
      "[1.1s][info][gc,phases] GC(0) O: Pause Mark End 0.020ms\n"
      "[1.2s][info][gc] GC(0) Major Collection (Warmup) 206M(10%)->20M(1%) 0.012s\n"
      "[2.0s][info][gc] Allocation Stall (Executor task launch worker) 168.916ms\n"
      "[2.1s][info][gc] GC(1) Minor Collection (Allocation Rate) 120M(6%)->30M(2%) 0.010s\n");
  EXPECT_EQ(log.collector, "ZGC");
  EXPECT_EQ(log.pauses, 2);
  EXPECT_EQ(log.pause_ns, 34'000);
  EXPECT_EQ(log.stalls, 1);
  EXPECT_EQ(log.stall_ns, 168'916'000);
  EXPECT_EQ(log.live_bytes, 20 * kMiB);
  EXPECT_EQ(log.allocated_bytes, 100 * kMiB);
}

TEST(GcLogTest, ACollectionThatThreadsWaitForShowsWhatIsInUse) {
  std::string text =
      "[0.1s][info][gc,init] Initializing The Z Garbage Collector\n"
      "[0.1s][info][gc,init] Memory: 20000M\n"
      "[0.1s][info][gc,init] Max Capacity: 16384M\n";
  for (int i = 0; i < 3; ++i) text += fmt::format("[{}.0s][info][gc] Allocation Stall (task) 3000.000ms\n", 5 + i);
  text += "[9.0s][info][gc] GC(38) Major Collection (Allocation Stall) 16384M(100%)->15360M(93%) 7.080s\n";
  const GcLog log = Read(text);
  EXPECT_EQ(log.memory_bytes, 20'000 * kMiB);
  EXPECT_EQ(log.live_bytes, 15'360 * kMiB);
  EXPECT_TRUE(log.is_live_exact);
  const FragmentAnswer answer = AnswerText(text);
  ASSERT_EQ(answer.answers.findings.size(), 1u);
  const Finding& finding = answer.answers.findings.front();
  EXPECT_EQ(finding.title, "Threads waited for memory 3 times");
  EXPECT_FALSE(finding.saving.IsKnown());
  EXPECT_NE(finding.change.find("as far as the 19.5 GiB of the machine or container allow"), std::string::npos)
      << finding.change;
}

TEST(GcLogTest, ReadsShenandoah) {
  const GcLog log = Read(
      "[0.1s][info][gc] Using Shenandoah\n"
      "[1.0s][info][gc] GC(0) Pause Init Mark (unload classes) 0.200ms\n"
      "[1.2s][info][gc] GC(0) Concurrent cleanup 60M->30M(64M) 0.100ms\n"
      "[2.0s][info][gc] GC(1) Pause Degenerated GC (Mark) 60M->30M(64M) 53.697ms\n"
      "[3.0s][info][gc] GC(2) Pause Full 63M->40M(64M) 100.000ms\n");
  EXPECT_EQ(log.collector, "Shenandoah");
  EXPECT_EQ(log.pauses, 3);
  EXPECT_EQ(log.full, 1);
  EXPECT_EQ(log.live_bytes, 40 * kMiB);
}

TEST(GcLogTest, ReadsJdk8WithParallel) {
  const GcLog log = Read(
      "2026-11-28T07:00:01.000+0000: 1.000: [GC (Allocation Failure) [PSYoungGen: 65536K->10748K(76288K)] "
      "65536K->10756K(251392K), "
      "0.0100000 secs] [Times: user=0.02 sys=0.01, real=0.01 secs] \n"
      "2026-11-28T07:00:03.000+0000: 3.000: [Full GC (Ergonomics) [PSYoungGen: 10240K->0K(76288K)] [ParOldGen: "
      "174080K->163840K(175104K)] "
      "184320K->163840K(251392K), [Metaspace: 20K->20K(1067008K)], 0.5000000 secs] [Times: user=0.9 sys=0.0, real=0.50 "
      "secs] \n");
  EXPECT_EQ(log.collector, "Parallel");
  EXPECT_EQ(log.pauses, 2);
  EXPECT_EQ(log.pause_ns, 510'000'000);
  EXPECT_EQ(log.longest, "Full GC (Ergonomics)");
  EXPECT_EQ(log.elapsed_ns, 2'000'000'000);
  EXPECT_EQ(log.live_bytes, 160 * kMiB);
  EXPECT_EQ(log.allocated_bytes, (184320 - 10756) * 1024);
}

TEST(GcLogTest, ReadsJdk8WithSerial) {
  const GcLog log = Read(
      "1.000: [GC (Allocation Failure) 1.000: [DefNew: 1024K->128K(1152K), 0.0100 secs] 2048K->1152K(4096K), 0.0200 "
      "secs] [Times: user=0.02 "
      "sys=0.00, real=0.02 secs]\n"
      "2.000: [Full GC (Allocation Failure) 2.000: [Tenured: 2944K->2048K(2944K), 0.3 secs] 4096K->2048K(4096K), "
      "[Metaspace: 3K->3K(8K)], 0.3100 "
      "secs] [Times: user=0.3 sys=0.0, real=0.31 secs]\n");
  EXPECT_EQ(log.collector, "Serial");
  EXPECT_EQ(log.pause_ns, 330'000'000);
  EXPECT_EQ(log.full, 1);
  EXPECT_EQ(log.live_bytes, 2 * kMiB);
  EXPECT_EQ(log.max_heap_bytes, 4 * kMiB);
}

TEST(GcLogTest, ReadsJdk8WithCmsAndEventsOverTwoLines) {
  const GcLog log = Read(
      "1.000: [GC (Allocation Failure) 1.000: [ParNew: 1024K->128K(1152K), 0.0100 secs] 2048K->1152K(4096K), 0.0200 "
      "secs]\n"
      "1.500: [GC (CMS Initial Mark) [1 CMS-initial-mark: 1024K(2944K)] 1200K(4096K), 0.0010 secs]\n"
      "1.600: [CMS-concurrent-mark: 0.100/0.100 secs] [Times: user=0.1 sys=0.0, real=0.10 secs]\n"
      "2.000: [GC (Allocation Failure) 2.000: [ParNew (promotion failed): 1152K->1152K(1152K), 0.0300 secs]2.030: "
      "[CMS2.040: "
      "[CMS-concurrent-sweep: 0.010/0.020 secs]\n"
      " (concurrent mode failure): 2944K->2048K(2944K), 0.4000 secs] 4096K->2048K(4096K), [Metaspace: 3K->3K(8K)], "
      "0.4500 secs] [Times: "
      "user=0.4 sys=0.0, real=0.45 secs]\n");
  EXPECT_EQ(log.collector, "CMS");
  EXPECT_EQ(log.pauses, 3);
  EXPECT_EQ(log.pause_ns, 471'000'000);
  EXPECT_EQ(log.without_room, 1);
  EXPECT_EQ(log.full, 1);
  EXPECT_EQ(log.live_bytes, 2 * kMiB);
}

TEST(GcLogTest, ReadsJdk8WithG1) {
  const GcLog log = Read(
      "CommandLine flags: -XX:G1HeapRegionSize=1048576 -XX:MaxHeapSize=1073741824 -XX:+UseG1GC\n"
      "1.000: [GC pause (G1 Evacuation Pause) (young), 0.0500 secs]\n"
      "   [Parallel Time: 40.0 ms, GC Workers: 4]\n"
      "      [GC Worker Start (ms): Min: 1.0, Avg: 1.1, Max: 1.2, Diff: 0.2]\n"
      "   [Eden: 51.0M(51.0M)->0.0B(44.0M) Survivors: 0.0B->7168.0K Heap: 51.0M(1024.0M)->8.0M(1024.0M)]\n"
      " [Times: user=0.1 sys=0.0, real=0.05 secs]\n"
      "2.000: [GC concurrent-mark-end, 0.5000 secs]\n"
      "3.000: [GC pause (G1 Humongous Allocation) (young) (initial-mark) (to-space exhausted), 0.1000 secs]\n"
      "   [Eden: 51.0M(51.0M)->0.0B(44.0M) Survivors: 0.0B->7168.0K Heap: 1008.0M(1024.0M)->900.0M(1024.0M)]\n"
      "4.000: [Full GC (Allocation Failure)  1020M->512M(1024M), 2.0000 secs]\n"
      "   [Eden: 0.0B(51.0M)->0.0B(44.0M) Survivors: 0.0B->0.0B Heap: 1020.0M(1024.0M)->512.0M(1024.0M)], [Metaspace: "
      "3K->3K(8K)]\n");
  EXPECT_EQ(log.collector, "G1");
  EXPECT_EQ(log.pauses, 3);
  EXPECT_EQ(log.pause_ns, 2'150'000'000);
  EXPECT_EQ(log.humongous, 1);
  EXPECT_EQ(log.without_room, 1);
  EXPECT_EQ(log.allocated_bytes, (1000 + 120) * kMiB);
  EXPECT_EQ(log.live_bytes, 512 * kMiB);
}

TEST(GcLogTest, LinesOfOthersBetweenThoseOfACollectionAreSkipped) {
  const GcLog log = Read(
      "1.000: [GC {Heap before gc invocations=529:\n"
      " par new generation   total 261952K, used 261951K [0x80b90000, 0x90b90000, 0x90b90000)\n"
      "}\n"
      "- age   1:     436518 bytes,     436518 total\n"
      "1.010: [GC concurrent-mark-start]\n"
      " 1024K->512K(2048K), 0.2500 secs]\n");
  EXPECT_EQ(log.pauses, 1);
  EXPECT_EQ(log.pause_ns, 250'000'000);
}

TEST(GcLogTest, StatisticsAtTheEndAreNoPauses) {
  const GcLog log = Read(
      "[1.0s][info][gc] GC(0) Pause Init Mark 0.129ms\n"
      "[2.0s][info][gc,stats] Pause Init Mark (N)                 129 us\n");
  EXPECT_EQ(log.pauses, 1);
}

TEST(GcLogTest, AnExcerptOfOneCollectionShowsNoShare) {
  const FragmentAnswer answer = AnswerText(
      "[1.0s][info][gc,start] GC(0) Pause Young (Normal) (G1 Evacuation Pause)\n"
      "[2.0s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 512M->100M(1024M) 1000.0ms\n");
  EXPECT_EQ(answer.answers.verdict, "A GC log of the JVM: 1 pause with G1.");
  EXPECT_TRUE(answer.answers.findings.empty());
}

TEST(GcLogTest, LogsOfSeveralJvmsFollowEachOther) {
  const GcLog log = Read(
      "[10.0s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 10M->5M(64M) 1.0ms\n"
      "[20.0s][info][gc] GC(1) Pause Young (Normal) (G1 Evacuation Pause) 15M->5M(64M) 1.0ms\n"
      "[1.0s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 60M->5M(64M) 1.0ms\n"
      "[3.0s][info][gc] GC(1) Pause Young (Normal) (G1 Evacuation Pause) 15M->5M(64M) 1.0ms\n");
  EXPECT_EQ(log.elapsed_ns, 12'000'000'000);
  EXPECT_EQ(log.allocated_bytes, 20 * kMiB);
}

TEST(GcLogTest, AHealthyLogHasNoFinding) {
  const FragmentAnswer answer = AnswerText(
      "[1.0s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 10M->5M(64M) 1.0ms\n"
      "[9.0s][info][gc] GC(1) Pause Young (Normal) (G1 Evacuation Pause) 15M->5M(64M) 1.0ms\n");
  EXPECT_TRUE(answer.answers.findings.empty());
}

TEST(GcLogTest, AFullHeapIsAFindingWithoutLongPauses) {
  const FragmentAnswer answer = AnswerText(
      "[1.0s][info][gc] GC(0) Pause Full (System.gc()) 60M->52M(64M) 1.0ms\n"
      "[9.0s][info][gc] GC(1) Pause Full (System.gc()) 60M->52M(64M) 1.0ms\n");
  ASSERT_EQ(answer.answers.findings.size(), 1u);
  EXPECT_EQ(answer.answers.findings[0].title, "The heap is 81.2% full after collections");
  EXPECT_EQ(answer.answers.findings[0].severity, Severity::kLow);
}

TEST(GcLogTest, AFullHeapAfterYoungCollectionsIsAFindingOfThreeOrMore) {
  std::string text;
  for (const std::string time : {"11", "12", "13"}) {
    EXPECT_TRUE(text.empty() || AnswerText(text).answers.findings.empty());
    text += "[" + time + "s][info][gc] GC(1) Pause Young (Normal) (G1 Evacuation Pause) 63M->60M(64M) 1.0ms\n";
  }
  const FragmentAnswer answer = AnswerText(text);
  ASSERT_EQ(answer.answers.findings.size(), 1u);
  EXPECT_EQ(answer.answers.findings[0].title, "The heap is 93.8% full after collections");
  EXPECT_NE(answer.answers.findings[0].change.find("jmap -histo:live"), std::string::npos);
}

TEST(GcLogTest, ACollectionWithoutRoomIsAFinding) {
  const FragmentAnswer answer = AnswerText(
      "9.000: [GC pause (G1 Evacuation Pause) (mixed) (to-space exhausted), 8.6429024 secs]\n"
      "   [Eden: 1.0M(1.0M)->0.0B(1.0M) Survivors: 80.0M->0.0B Heap: 29.6G(30.0G)->29.1G(30.0G)]\n");
  ASSERT_EQ(answer.answers.findings.size(), 1u);
  EXPECT_EQ(answer.answers.findings[0].title, "1 collection had no room to copy objects");
  EXPECT_NE(answer.answers.findings[0].change.find("G1ReservePercent"), std::string::npos);
}

TEST(GcLogTest, AllocationIsMeasuredBetweenCollections) {
  const GcLog log = Read(
      "[10.0s][info][gc,init] Heap Max Capacity: 64M\n"
      "[30.0s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 10M->5M(64M) 1.0ms\n"
      "[32.0s][info][gc] GC(1) Pause Young (Normal) (G1 Evacuation Pause) 15M->5M(64M) 1.0ms\n"
      "[90.0s][info][gc,cpu] GC(1) User=0.0s\n");
  EXPECT_EQ(log.elapsed_ns, 80'000'000'000);
  EXPECT_EQ(log.allocated_bytes, 10 * kMiB);
  EXPECT_EQ(log.allocation_ns, 2'000'000'000);
}

TEST(GcLogTest, NumbersOfAnySizeStayInTheirRange) {
  const GcLog log = Read(
      "[99999999999999999999999999s][gc] GC(0) Pause Full (x) 99999999999999T->99999999999999T(99999999999999T) "
      "9999999999999999999999s\n"
      "[99999999999999999999999999s][gc] GC(0) Pause Full (x) 99999999999999T->99999999999999T(99999999999999T) "
      "9999999999999999999999s\n");
  EXPECT_EQ(log.pause_ns, INT64_MAX);
  AnswerStartsOf(kG1);
}

TEST(GcLogTest, AFullMetaspaceIsNoFullHeap) {
  const std::string text =
      "CommandLine flags: -XX:MaxHeapSize=8589934592 -XX:MaxMetaspaceSize=268435456 -XX:+UseParallelGC\n"
      "2.118: [Full GC (Metadata GC Threshold) [PSYoungGen: 10720K->0K(2446848K)] [ParOldGen: 24K->9811K(5592576K)] "
      "10744K->9811K(8039424K), [Metaspace: 20911K->20911K(1067008K)], 0.0411020 secs]\n"
      "18211.730: [Full GC (Metadata GC Threshold) [PSYoungGen: 40211K->0K(2470912K)] [ParOldGen: "
      "402993K->410022K(5592576K)] 443204K->410022K(8063488K), [Metaspace: 258801K->258790K(1290240K)], 1.2110450 "
      "secs]\n"
      "18213.010: [Full GC (Last ditch collection) [PSYoungGen: 0K->0K(2470912K)] [ParOldGen: "
      "410022K->409877K(5592576K)] 410022K->409877K(8063488K), [Metaspace: 258790K->258790K(1290240K)], 1.1930110 "
      "secs]\n";
  const FragmentAnswer answer = AnswerText(text);
  ASSERT_EQ(answer.answers.findings.size(), 1u) << Summary(answer);
  EXPECT_EQ(answer.answers.findings[0].title,
            "Metaspace is full (256 MiB): 1 last collection found no classes to unload");
  AnswerStartsOf(text);
}

TEST(GcLogTest, AMetaspaceThatGrowsAtTheStartIsHealthy) {
  EXPECT_TRUE(AnswerText("[0.9s][info][gc] Using Parallel\n"
                         "[1.0s][info][gc] GC(0) Pause Full (Metadata GC Threshold) 20M->9M(512M) 40.1ms\n"
                         "[9.0s][info][gc] GC(1) Pause Full (Metadata GC Threshold) 30M->10M(512M) 60.1ms\n")
                  .answers.findings.empty());
}

}  // namespace
}  // namespace sparkprof
