// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/rules.h"
#include "base/text/text.h"
#include "base/time.h"
#include "fragments/fragment_readers.h"
#include "fragments/gc_log.h"

namespace sparkprof {
namespace {

constexpr double kFullHeap = 0.8;
// Without a full collection, part of the used memory may be garbage.
constexpr double kFullHeapAtMost = 0.9;
constexpr int64_t kLeastPauses = 3;     // fewer pauses show no share of time
constexpr double kManyHumongous = 0.1;  // share of collections
constexpr double kHeapPerLive = 2;      // a heap of this many times the live set is collected cheaply
constexpr double kHeapOfMemory = 0.75;  // leaves memory for the JVM and the system
constexpr int64_t kGiB = int64_t{1} << 30;
constexpr int64_t kMaxRegionBytes = int64_t{32} << 20;
constexpr const char* kGcCondition =
    "Three or more pauses take at least 10% of the elapsed time and 500 ms, or threads wait for memory three times or "
    "more, or a collection finds no room to copy objects, or at least 80% of the heap is in use after collections of "
    "the "
    "whole heap, or 90% after three or more others";

double LiveShare(const GcLog& log) { return log.live_bytes ? Share(*log.live_bytes, log.max_heap_bytes) : 0; }

bool IsHeapFull(const GcLog& log) {
  return log.is_live_exact ? LiveShare(log) >= kFullHeap
                           : log.pauses >= kLeastPauses && LiveShare(log) >= kFullHeapAtMost;
}

std::vector<std::string> FactsOf(const GcLog& log) {
  std::vector<std::string> facts;
  if (log.pauses > 0) {
    facts.push_back(fmt::format(
        "{}, {} in total{}, the longest {} ({})", Counted(log.pauses, "pause"), FormatDuration(log.pause_ns),
        log.elapsed_ns > 0 ? fmt::format(" of {}", FormatDuration(log.elapsed_ns)) : std::string(),
        FormatDuration(log.longest_ns), log.longest));
  }
  if (log.full > 0)
    facts.push_back(
        fmt::format("{} of the whole heap, {}", Counted(log.full, "collection"), FormatDuration(log.full_ns)));
  if (log.stalls > 0)
    facts.push_back(fmt::format("{} of threads for memory, {} in all threads together", Counted(log.stalls, "wait"),
                                FormatDuration(log.stall_ns)));
  if (log.allocation_ns > 0 && log.allocated_bytes > 0) {
    const double per_second =
        static_cast<double>(log.allocated_bytes) / static_cast<double>(log.allocation_ns) * kNanosPerSecond;
    facts.push_back(
        fmt::format("{} allocated per second", FormatBytes(static_cast<int64_t>(std::min(per_second, 9e18)))));
  }
  if (log.last_resorts > 0)
    facts.push_back(
        fmt::format("{} because Metaspace, the memory for classes, was full", Counted(log.for_classes, "collection")));
  if (log.humongous > 0) facts.push_back(fmt::format("{} for humongous objects", Counted(log.humongous, "collection")));
  if (log.without_room > 0)
    facts.push_back(
        fmt::format("{} without room to copy objects (evacuation failure)", Counted(log.without_room, "collection")));
  if (log.live_bytes && log.max_heap_bytes > 0) {
    facts.push_back(fmt::format("{}{} of {} in use after collections{}", log.is_live_exact ? "" : "at most ",
                                FormatBytes(*log.live_bytes), FormatBytes(log.max_heap_bytes),
                                log.is_live_exact ? " of the whole heap" : ""));
  }
  return facts;
}

std::string LargerHeap(const GcLog& log) {
  if (!log.is_live_exact)
    return fmt::format(
        "see what the heap holds, and how much of it is in use at all (jmap -histo:live PID collects all garbage "
        "first): collections leave up to {}; if that is in use, increase the heap (spark.executor.memory, or "
        "spark.driver.memory for the driver)",
        FormatBytes(*log.live_bytes));
  const double needed = kHeapPerLive * static_cast<double>(*log.live_bytes) / static_cast<double>(kGiB);
  if (log.memory_bytes > 0 &&
      needed * static_cast<double>(kGiB) > kHeapOfMemory * static_cast<double>(log.memory_bytes))
    return fmt::format(
        "increase the heap as far as the {} of the machine or container allow: collections leave {} in use",
        FormatBytes(log.memory_bytes), FormatBytes(*log.live_bytes));
  return fmt::format(
      "increase the heap to {}g, twice what collections leave in use (spark.executor.memory, or spark.driver.memory "
      "for the driver)",
      static_cast<int64_t>(needed) + 1);
}

std::string AdviceFor(const GcLog& log) {
  std::vector<std::string> advice;
  if (LiveShare(log) * kHeapPerLive > 1) advice.push_back(LargerHeap(log) + ", or keep and cache less");
  if (log.collector == "G1" && log.without_room > 0)
    advice.push_back(
        "start marking earlier and keep more regions free (-XX:InitiatingHeapOccupancyPercent=35 "
        "-XX:G1ReservePercent=20)");
  if (log.collector == "G1" && static_cast<double>(log.humongous) >= kManyHumongous * static_cast<double>(log.pauses)) {
    const int64_t region = log.region_bytes > 0 ? std::min(2 * log.region_bytes, kMaxRegionBytes) : kMaxRegionBytes;
    advice.push_back(
        log.region_bytes >= kMaxRegionBytes
            ? std::string("allocate smaller arrays (smaller partitions and batches): they take half a region or more")
            : fmt::format(
                  "set -XX:G1HeapRegionSize={}m in spark.executor.extraJavaOptions: arrays of half a region or more "
                  "are collected with the old generation",
                  region >> 20));
  }
  if (log.collector == "Serial")
    advice.push_back("set -XX:+UseG1GC or -XX:+UseParallelGC: the JVM selects Serial for less than 2 CPUs or 2 GB");
  if (log.collector == "CMS")
    advice.push_back("set -XX:+UseG1GC: CMS stops all threads to compact a heap, and JDK 14 has removed it");
  advice.push_back(
      "run fewer tasks in one JVM (spark.executor.cores). An allocation profile shows the code that allocates");
  std::string text = fmt::format("{}", fmt::join(advice, "; "));
  if (text[0] >= 'a' && text[0] <= 'z') text[0] -= 'a' - 'A';
  return text;
}

void AddFullMetaspace(const GcLog& log, FragmentAnswer* answer) {
  const std::string limit =
      log.max_classes_bytes > 0 ? fmt::format(" ({})", FormatBytes(log.max_classes_bytes)) : std::string();
  Finding& finding = AddFinding("gc",
                                fmt::format("Metaspace is full{}: {} found no classes to unload", limit,
                                            Counted(log.last_resorts, "last collection")),
                                answer);
  finding.what =
      "The JVM collects the whole heap to unload classes, frees next to nothing, and ends with "
      "OutOfMemoryError: Metaspace; the heap itself is not the reason";
  finding.condition = "The JVM collects the whole heap and all soft references because Metaspace is full";
  finding.change = fmt::format(
      "Raise or remove -XX:MaxMetaspaceSize{} in spark.driver.extraJavaOptions or spark.executor.extraJavaOptions, and "
      "look for classes that are loaded again and again: sessions, class loaders and generated code that the program "
      "makes in a loop (jcmd PID VM.classloader_stats)",
      limit);
  finding.severity = Severity::kHigh;
}

}  // namespace

std::string AnswerGcLog(std::string_view text, FragmentAnswer* answer) {
  GcLogReader reader;
  while (!text.empty()) reader.AddLine(TakeLine(&text));
  const GcLog log = reader.Finish();
  const std::vector<std::string> facts = FactsOf(log);
  answer->facts.insert(answer->facts.end(), facts.begin(), facts.end());
  if (log.last_resorts > 0) AddFullMetaspace(log, answer);
  const int64_t lost_ns = log.pause_ns;
  const double share = std::min(1.0, Share(lost_ns, log.elapsed_ns));
  const bool has_share = log.elapsed_ns > 0 && log.pauses >= kLeastPauses;
  const bool is_much = has_share && share >= kMuchOfTime && lost_ns >= kWorthwhileNs;
  const std::string_view of = log.collector.empty() ? "" : " with ";
  std::string main_fact = has_share ? fmt::format("GC{}{} takes {} of {}", of, log.collector, FormatShare(share),
                                                  FormatDuration(log.elapsed_ns))
                                    : fmt::format("{}{}{}", Counted(log.pauses, "pause"), of, log.collector);
  const bool waits = log.stalls >= kLeastPauses;
  const bool is_without_room = log.without_room > 0;
  if (!is_much && !waits && !is_without_room && !IsHeapFull(log)) return main_fact;
  const std::string_view at_most = log.is_live_exact ? "" : "up to ";
  Finding& finding = AddFinding(
      "gc",
      is_much           ? fmt::format("GC takes {} of the JVM's time", FormatShare(share))
      : waits           ? fmt::format("Threads waited for memory {} times", log.stalls)
      : is_without_room ? fmt::format("{} had no room to copy objects", Counted(log.without_room, "collection"))
                        : fmt::format("The heap is {} full after collections", FormatShare(LiveShare(log))),
      answer);
  finding.what = is_much ? fmt::format("Pauses of the garbage collector took {} of {}", FormatDuration(lost_ns),
                                       FormatDuration(log.elapsed_ns))
                 : waits ? std::string("The heap was full, so threads waited until a collection freed memory")
                 : is_without_room
                     ? std::string(
                           "No part of the heap was free to copy objects to, so they stayed where they were, "
                           "in a long pause; a collection of the whole heap may follow")
                     : fmt::format("Collections leave {}{} of the heap in use, so they become frequent and long",
                                   at_most, FormatShare(LiveShare(log)));
  finding.evidence = fmt::format("{}", fmt::join(facts, "; "));
  finding.condition = kGcCondition;
  finding.selection.event = EventName(Event::kAlloc);
  finding.change = AdviceFor(log);
  if (is_much) {
    const auto part = [&](double removed) {
      return static_cast<int64_t>(removed * static_cast<double>(std::min(lost_ns, log.elapsed_ns)));
    };
    finding.saving = {part(kHalf.low), part(kHalf.likely), part(kHalf.high)};
    finding.expected_share = Share(finding.saving.Expected(), log.elapsed_ns);
    finding.severity = SeverityOf(finding.expected_share);
  }
  return main_fact;
}

}  // namespace sparkprof
