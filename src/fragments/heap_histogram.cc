// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/findings/advice.h"
#include "base/saturate.h"
#include "base/text/text.h"
#include "formats/class_histogram/class_histogram.h"
#include "fragments/fragment_readers.h"

namespace sparkprof {
namespace {

constexpr size_t kShownClasses = 10;
constexpr size_t kShownGrowth = 5;
constexpr double kMuchOfHeap = 0.2;

// Typical owners of objects whose class name contains the text. With a rule, large numbers are a problem.
struct Holder {
  std::string_view part, holds;
  std::string_view rule = {}, change = {};
};

constexpr Holder kHolders[] = {
    {"HashedRelation", "the table that a broadcast join sends to every executor", "large-broadcast",
     "Lower spark.sql.autoBroadcastJoinThreshold, or remove the broadcast hint, so that the join shuffles"},
    {"LongToUnsafeRowMap", "the table that a broadcast join sends to every executor", "large-broadcast",
     "Lower spark.sql.autoBroadcastJoinThreshold, or remove the broadcast hint, so that the join shuffles"},
    {"CompactBuffer", "the rows of a key that groupByKey() or cogroup() collects", "grouped-rows",
     "Replace groupByKey() by reduceByKey() or aggregateByKey(), which keep one value for each key"},
    {"CachedBatch", "cached DataFrames", "evicted-cache",
     "Unpersist what is no longer read, cache fewer columns, or use StorageLevel.DISK_ONLY"},
    {"GenericRowWithSchema", "rows that collect() or a function of the program got", "large-result",
     "Leave the rows in the executors: aggregate, filter or write them there"},
    {"FileStatus", "lists of files of a source", "file-listing",
     "Read fewer and larger files, or a table format that keeps its list of files"},
    {"org.apache.spark.status.", "the history of jobs, stages and tasks in the driver's UI", "low-memory",
     "Lower spark.ui.retainedJobs, spark.ui.retainedStages and spark.ui.retainedTasks"},
    {"org.apache.spark.sql.execution.ui.", "the history of SQL queries in the driver's UI", "low-memory",
     "Lower spark.sql.ui.retainedExecutions"},
    {"org.apache.spark.scheduler.AccumulableInfo", "metrics of tasks in the driver", "low-memory",
     "Run fewer tasks, or lower spark.ui.retainedTasks"},
    {"org.apache.spark.storage.memory.", "cached RDDs"},
    {"UnsafeRow", "rows of operators: sorts, aggregations, joins"},
    {"org.apache.spark.sql.catalyst.expressions.", "rows as objects, and expressions of query plans"},
    {"org.apache.spark.sql.catalyst.", "query plans"},
    {"org.apache.parquet.", "column buffers of Parquet readers and writers"},
    {"io.netty.", "buffers of the network"},
    {"org.codehaus.janino.", "generated code"},
    {"net.razorvine.", "rows that are pickled for Python"},
    {"org.apache.arrow.", "batches of Arrow for Python"},
    {"scala.Tuple2", "pairs of an RDD: data that is cached as objects, or that a shuffle sorts"},
    {"java.util.HashMap$Node", "maps of the program or of a library"},
    {"scala.collection.mutable.", "collections of the program: data collected in a task or in the driver"},
    {"byte[]", "cached blocks, rows, strings, and buffers of shuffle and network"},
    {"char[]", "strings (JDK 8)"},
    {"long[]", "hash tables of joins and aggregations, pointers of sorts, and off-heap bookkeeping"},
    {"int[]", "columns of cached DataFrames and of readers, and dictionaries"},
    {"double[]", "vectors of machine learning, and columns of readers"},
    {"java.lang.String", "strings of rows that are objects, and of names"},
    {"java.lang.Object[]", "lists and arrays of objects: collected rows, cached objects"},
};

const Holder* HolderOf(std::string_view name) {
  const auto found = std::find_if(std::begin(kHolders), std::end(kHolders), [&](const Holder& holder) {
    return name.find(holder.part) != std::string_view::npos;
  });
  return found == std::end(kHolders) ? nullptr : found;
}

// The objects that a rule reports.
struct Held {
  const Holder* holder = nullptr;
  std::string largest;  // class with the most bytes
  int64_t bytes = 0;
};

// The last histogram of a text, and the first row of each class, in the form that the histogram reader accepts: rows,
// and "Total", which `head` cuts off. A rank that does not increase begins the next histogram.
struct Histograms {
  std::string first, last;
  int64_t count = 0;
  std::map<std::string_view, std::vector<int64_t>>
      objects;  // number of objects per class, in each histogram that lists it
};
Histograms HistogramsOf(std::string_view text) {
  Histograms histograms;
  int64_t rank_before = INT64_MAX;
  while (!text.empty()) {
    const std::string_view line = Trim(TakeLine(&text));
    if (!IsHistogramLine(line)) continue;
    const int64_t rank = ParseInteger(line.substr(0, line.find(':'))).value_or(0);
    if (rank <= rank_before) {
      ++histograms.count;
      histograms.last.clear();
    }
    rank_before = rank;
    histograms.last.append(line).append("\n");
    std::string_view name = line, objects;
    for (int column = 0; column < 3; ++column) {
      name = Trim(name.substr(std::min(name.find(' '), name.size())));
      if (column == 0) objects = name.substr(0, name.find(' '));
    }
    std::vector<int64_t>& counts = histograms.objects[name];
    if (counts.empty()) histograms.first.append(line).append("\n");
    counts.push_back(ParseInteger(objects).value_or(0));
  }
  histograms.first += "Total 0 0\n";
  histograms.last += "Total 0 0\n";
  return histograms;
}

// Reports classes that have more bytes in the last histogram than in their first one, largest growth first.
void AddGrowth(const Histograms& histograms, const ClassHistogram& last, FragmentAnswer* answer) {
  const Result<ClassHistogram> first = ReadClassHistogram(histograms.first);
  if (histograms.count < 2 || !first) return;
  std::map<std::string_view, HeapObjects> before;
  for (const ClassHistogram::Class& one : first->classes) before[one.name] = one.objects;
  std::vector<std::pair<int64_t, std::string>> grown;
  for (const auto& [name, objects] : last.classes) {
    const auto earlier = before.find(name);
    if (earlier == before.end() || objects.bytes <= earlier->second.bytes) continue;
    const int64_t bytes = objects.bytes - earlier->second.bytes;
    grown.emplace_back(bytes, fmt::format("{} by {}, from {} to {}", name, FormatBytes(bytes),
                                          CountText(earlier->second.instances), Counted(objects.instances, "object")));
  }
  std::stable_sort(grown.begin(), grown.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  if (grown.size() > kShownGrowth) grown.resize(kShownGrowth);
  for (const auto& [bytes, text] : grown)
    answer->facts.push_back(fmt::format("Grew over {} histograms: {}", histograms.count, text));
}

bool IsOfLibrary(std::string_view name) { return name.starts_with('[') || name.starts_with("java."); }

// Reports the class of a program or of Spark (not arrays or strings) whose number of objects increases from each
// histogram to the next, and the most overall.
void AddSteadyGrowth(const Histograms& histograms, std::string_view text, FragmentAnswer* answer) {
  constexpr size_t kLeast = 3;
  constexpr double kMuchMore = 1.5;  // last relative to first
  const std::pair<const std::string_view, std::vector<int64_t>>* steady = nullptr;
  int64_t added = 0;
  for (const auto& entry : histograms.objects) {
    const std::vector<int64_t>& counts = entry.second;
    const bool grows = counts.size() >= kLeast && counts.size() + 1 >= static_cast<size_t>(histograms.count) &&
                       std::adjacent_find(counts.begin(), counts.end(), std::greater_equal<>()) == counts.end();
    if (!grows || static_cast<double>(counts.back()) < kMuchMore * static_cast<double>(counts.front())) continue;
    const int64_t more = counts.back() - counts.front();
    if (IsOfLibrary(entry.first) || more <= added) continue;
    steady = &entry;
    added = more;
  }
  if (steady == nullptr) return;
  const auto& [name, counts] = *steady;
  Finding& finding = AddFinding(
      "low-memory", fmt::format("{} grows in each of {} histograms", name.substr(0, name.find(' ')), counts.size()),
      answer);
  std::vector<std::string> numbers;
  for (const int64_t count : counts) numbers.push_back(CountText(count));
  const bool is_live = text.find(":live") != std::string_view::npos;
  finding.what =
      is_live ? "Something keeps more and more of these objects: each histogram counts only what is still referred to"
              : "Something keeps more and more of these objects, unless they are garbage that was not collected yet";
  finding.evidence = fmt::format("Objects: {}", fmt::join(numbers, ", "));
  finding.condition =
      fmt::format("The objects of a class become more in each of at least {} histograms, and at least {} times as many",
                  kLeast, kMuchMore);
  finding.selection.event = EventName(Event::kAlloc);
  finding.change = fmt::format(
      "{} in a heap dump (jcmd PID GC.heap_dump FILE) for the path from these objects to what holds them; search "
      "the issues of the library that has the class; end what makes them again and again in one JVM, such as sessions "
      "and interpreters",
      is_live ? "Look" : "Take the histograms of live objects (jmap -histo:live) to leave garbage out, and look");
}

// The total stated in the text; 0 if it was cut off.
int64_t TotalOf(std::string_view text) {
  const size_t at = text.rfind("\nTotal ");
  if (at == std::string_view::npos) return 0;
  text = text.substr(at + 1);
  const std::vector<std::string_view> words = Split(Trim(TakeLine(&text)), ' ');
  return words.empty() ? 0 : std::max<int64_t>(0, ParseInteger(words.back()).value_or(0));
}

}  // namespace

std::string AnswerHeapHistogram(std::string_view text, FragmentAnswer* answer) {
  const Histograms histograms = HistogramsOf(text);
  const Result<ClassHistogram> histogram = ReadClassHistogram(histograms.last);
  if (!histogram || histogram->classes.empty()) return "no line of a class";
  int64_t listed = 0;
  for (const ClassHistogram::Class& one : histogram->classes) AddSaturated(one.objects.bytes, &listed);
  const int64_t total = std::max(listed, TotalOf(text));
  const auto share_of = [&](int64_t bytes) {
    return total == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(total);
  };
  std::map<std::string_view, Held> by_rule;
  size_t shown = 0;
  for (const auto& [name, objects] : histogram->classes) {
    const Holder* const holder = HolderOf(name);
    const std::string fact =
        fmt::format("{} ({}) in {} of {}{}", FormatBytes(objects.bytes), FormatShare(share_of(objects.bytes)),
                    Counted(objects.instances, "object"), name,
                    holder == nullptr ? std::string() : fmt::format(": typically {}", holder->holds));
    if (holder != nullptr && !holder->rule.empty()) {
      Held& held = by_rule.try_emplace(holder->rule, Held{holder, fact}).first->second;
      AddSaturated(objects.bytes, &held.bytes);
    }
    if (shown++ < kShownClasses) answer->facts.push_back(fact);
  }
  AddGrowth(histograms, *histogram, answer);
  AddSteadyGrowth(histograms, text, answer);
  for (const auto& [rule, held] : by_rule) {
    if (share_of(held.bytes) < kMuchOfHeap) continue;
    const std::string share = FormatShare(share_of(held.bytes));
    Finding& finding = AddFinding(rule, fmt::format("{} of the heap: {}", share, held.holder->holds), answer);
    finding.what = fmt::format("Objects of {} and the like take {} of {} without what they refer to", held.holder->part,
                               FormatBytes(held.bytes), FormatBytes(total));
    finding.evidence = held.largest;
    finding.condition = "Objects that one cause typically holds take at least 20% of the bytes of a heap histogram";
    finding.selection.event = EventName(Event::kAlloc);
    finding.change = held.holder->change;
  }
  return fmt::format("{} in {} classes", FormatBytes(total),
                     CountText(static_cast<int64_t>(histogram->classes.size())));
}

}  // namespace sparkprof
