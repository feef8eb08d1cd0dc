// SPDX-License-Identifier: Apache-2.0
// Tables of Spark's web UI, as copied from a browser (tab-separated cells) or in issue trackers ("|").
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/findings/advice.h"
#include "base/saturate.h"
#include "base/text/characters.h"
#include "base/text/text.h"
#include "base/time.h"
#include "fragments/fragment_readers.h"

namespace sparkprof {
namespace {

using Cells = std::vector<std::string>;

Cells CellsOf(std::string_view line) {
  Cells cells;
  line = Trim(line);
  if (line.starts_with('|')) line.remove_prefix(1);
  if (line.ends_with('|')) line.remove_suffix(1);
  if (line.find_first_of("\t|") == std::string_view::npos) {  // plain text with blanks between the cells
    for (; !line.empty(); line = Trim(line)) {
      const size_t end = std::min(line.find("  "), line.size());
      cells.emplace_back(line.substr(0, end));
      line.remove_prefix(end);
    }
    if (cells.empty()) cells.emplace_back();
    return cells;
  }
  const char separator = line.find('\t') != std::string_view::npos ? '\t' : '|';
  for (const std::string_view cell : Split(line, separator)) cells.emplace_back(Trim(cell));
  return cells;
}

// The rows of a page. A cell with several lines, such as a description with its link, counts as one.
std::vector<Cells> RowsOf(std::string_view text) {
  std::vector<Cells> rows;
  while (!text.empty()) {
    const std::string_view line = Trim(TakeLine(&text));
    if (line.empty()) continue;
    Cells cells = CellsOf(line);
    // This line continues a row that was broken in the middle.
    const bool continues = !rows.empty() && rows.back().size() > 1 && IsDigits(rows.back()[0]) &&
                           rows.back().size() < 5 && !IsDigits(cells[0]);
    if (continues) {
      rows.back().back().append(" ").append(cells[0]);
      rows.back().insert(rows.back().end(), cells.begin() + 1, cells.end());
    } else {
      rows.push_back(std::move(cells));
    }
  }
  return rows;
}

struct Unit {
  std::string_view name;
  double factor;
};
constexpr Unit kTimes[] = {{"ms", 1e6}, {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}};
constexpr Unit kSizes[] = {{"B", 1},
                           {"KiB", 1024.0},
                           {"KB", 1024.0},
                           {"MiB", 1048576.0},
                           {"MB", 1048576.0},
                           {"GiB", 1073741824.0},
                           {"GB", 1073741824.0},
                           {"TiB", 1099511627776.0},
                           {"TB", 1099511627776.0}};

// Parses "5.1 s" as ns, "12.3 MiB / 8000" as bytes.
std::optional<int64_t> QuantityOf(std::string_view text, std::span<const Unit> units) {
  constexpr double kMost = 9e18;
  text = Trim(text.substr(0, text.find('/')));
  const size_t end = std::min(text.find_first_not_of("0123456789.,"), text.size());
  std::string number(text.substr(0, end));
  number.erase(std::remove(number.begin(), number.end(), ','), number.end());
  if (number.empty() || number.size() > 18) return std::nullopt;
  const double value = std::strtod(number.c_str(), nullptr);
  const std::string_view name = Trim(text.substr(end));
  for (const Unit& unit : units) {
    if (name == unit.name && value * unit.factor < kMost) return static_cast<int64_t>(value * unit.factor);
  }
  return std::nullopt;
}
std::optional<int64_t> TimeOf(std::string_view text) { return QuantityOf(text, kTimes); }
std::optional<int64_t> BytesOf(std::string_view text) { return QuantityOf(text, kSizes); }

// A row of "Summary Metrics for N Completed Tasks".
struct Quartiles {
  int64_t median = 0, most = 0;
};
std::optional<Quartiles> QuartilesOf(const Cells& cells, std::optional<int64_t> (*parse)(std::string_view)) {
  constexpr size_t kCells = 6;  // name, minimum, 25th percentile, median, 75th percentile, maximum
  if (cells.size() < kCells) return std::nullopt;
  const auto median = parse(cells[3]), most = parse(cells[5]);
  return median && most ? std::optional(Quartiles{*median, *most}) : std::nullopt;
}

double RatioOf(int64_t a, int64_t b) { return static_cast<double>(a) / static_cast<double>(std::max<int64_t>(b, 1)); }

Finding& AddOfTasks(std::string_view rule, std::string title, std::string evidence, std::string change,
                    FragmentAnswer* answer) {
  Finding& finding = AddFinding(rule, std::move(title), answer);
  finding.evidence = std::move(evidence);
  finding.condition = "A table of Spark's web UI has it";
  finding.change = std::move(change);
  return finding;
}

// The column whose heading begins like this; nullopt if there is none.
std::optional<size_t> PlaceOf(const Cells& headings, std::string_view name) {
  for (size_t at = 0; at < headings.size(); ++at) {
    if (headings[at].starts_with(name)) return at;
  }
  return std::nullopt;
}

// A key that the question around a table names as that of many rows: "customer_id = -1, about half of all rows".
std::string KeyNamedIn(std::string_view text) {
  static const re2::RE2 many(
      R"(\b(\w+ ?= ?(?:-?\w+|'[^'\n]*')),? (?:(?:is|are|has|have|in|for|with|about|almost|nearly|around|over) ){0,3})"
      R"((?:half|most|\d+ ?%) of)");
  std::string key;
  re2::RE2::PartialMatch({text.data(), text.size()}, many, &key);
  return key;
}

class TaskSummary {
 public:
  TaskSummary(const std::vector<Cells>& rows, FragmentAnswer* answer) : rows_(rows), answer_(answer) {}

  bool Read(std::string_view text) {
    const auto duration = TimesOf("Duration");
    if (!duration) return false;
    answer_->facts.push_back(fmt::format("Duration of completed tasks: median {}, longest {}",
                                         FormatDuration(duration->median), FormatDuration(duration->most)));
    key_ = KeyNamedIn(text);
    // A task that still runs says more than the longest of the others.
    if (!ReadRunning(text)) AddLongest(*duration, [&](std::string_view name) { return SizesOf(name); });
    AddTiny(*duration, text);
    AddPart("GC Time", "gc", 0.1, "garbage collection", *duration,
            "Give executors more memory, or run fewer tasks in each at once (spark.executor.cores); cache less");
    AddPart("Scheduler Delay", "scheduler-delay", 0.2, "the scheduler", *duration,
            "Run fewer and longer tasks, and look for a driver that is busy");
    for (const std::string_view name : {"Shuffle Read Blocked Time", "Shuffle Read Fetch Wait Time"})
      AddPart(name, "fetch-wait", 0.1, "blocks of a shuffle", *duration,
              "Look at the hosts that serve the blocks: disks, network, GC. Fewer and larger blocks are faster");
    AddSpill();
    return true;
  }

 private:
  // False if no task that runs is longer than all that have completed.
  bool ReadRunning(std::string_view text) { return ReadRunningTable() || ReadRunningLine(text); }

  // Compares a task that still runs, in a line without headings, with the tasks that have completed: "Index 43 RUNNING
  // executor 9 1.1 h Shuffle Read 6.1 GB / 88420313".
  bool ReadRunningLine(std::string_view text) {
    static const re2::RE2 took(R"(\b([0-9.]+ (?:ms|s|min|h))\b)"),
        size(R"((Shuffle Read|Input)\D{0,20}?([0-9.]+ [KMGT]?i?B)\b)");
    const auto duration = TimesOf("Duration");
    while (duration && !text.empty()) {
      const std::string_view line = TakeLine(&text);
      std::string time, name, bytes;
      if (line.find("RUNNING") == std::string_view::npos ||
          !re2::RE2::PartialMatch({line.data(), line.size()}, took, &time))
        continue;
      const int64_t ns = TimeOf(time).value_or(0);
      if (ns <= duration->most) continue;
      answer_->facts.push_back(fmt::format("A task runs for {} so far", FormatDuration(ns)));
      const bool has_size = re2::RE2::PartialMatch({line.data(), line.size()}, size, &name, &bytes);
      AddLongest({duration->median, ns}, [&](std::string_view column) -> std::optional<Quartiles> {
        const auto completed = SizesOf(column);
        const auto read = has_size && column.starts_with(name) ? BytesOf(bytes) : std::nullopt;
        return completed && read ? std::optional(Quartiles{completed->median, *read}) : std::nullopt;
      });
      return true;
    }
    return false;
  }

  // Compares the longest task that still runs with the tasks that have completed.
  bool ReadRunningTable() {
    const auto headings = std::find_if(rows_.begin(), rows_.end(), [](const Cells& row) {
      return PlaceOf(row, "Index") && PlaceOf(row, "Status") && PlaceOf(row, "Duration");
    });
    const auto duration = TimesOf("Duration");
    if (headings == rows_.end() || !duration) return false;
    const size_t status = *PlaceOf(*headings, "Status"), took = *PlaceOf(*headings, "Duration");
    const Cells* longest = nullptr;
    int64_t longest_ns = 0;
    for (auto row = headings + 1; row != rows_.end(); ++row) {
      if (row->size() <= std::max(status, took) || (*row)[status] != "RUNNING") continue;
      const int64_t ns = TimeOf((*row)[took]).value_or(0);
      if (ns <= longest_ns) continue;
      longest_ns = ns;
      longest = &*row;
    }
    if (longest == nullptr) return false;
    const auto host = PlaceOf(*headings, "Host");
    answer_->facts.push_back(fmt::format("Task {} runs{} for {} so far", (*longest)[*PlaceOf(*headings, "Index")],
                                         host && *host < longest->size() ? " on " + (*longest)[*host] : "",
                                         FormatDuration(longest_ns)));
    if (longest_ns <= duration->most) return false;
    AddLongest({duration->median, longest_ns}, [&](std::string_view name) -> std::optional<Quartiles> {
      const auto completed = SizesOf(name);
      const auto place = PlaceOf(*headings, name);
      const auto bytes = place && *place < longest->size() ? BytesOf((*longest)[*place]) : std::nullopt;
      return completed && bytes ? std::optional(Quartiles{completed->median, *bytes}) : std::nullopt;
    });
    return true;
  }

  static constexpr int64_t kLeastNs = 500 * kNanosPerMilli;

  // The row of quartiles. A line of totals, as above the table, begins with the same name.
  const Cells* RowOf(std::string_view name) const {
    const std::string wanted = ToLowerAscii(name);
    for (const Cells& row : rows_) {
      if (row.size() > 1 && ToLowerAscii(row[0]).starts_with(wanted)) return &row;
    }
    return nullptr;
  }
  std::optional<Quartiles> TimesOf(std::string_view name) const {
    const Cells* const row = RowOf(name);
    return row == nullptr ? std::nullopt : QuartilesOf(*row, TimeOf);
  }
  std::optional<Quartiles> SizesOf(std::string_view name) const {
    const Cells* const row = RowOf(name);
    return row == nullptr ? std::nullopt : QuartilesOf(*row, BytesOf);
  }

  // Reports very many tasks that take almost no time: "Summary Metrics for 2000 Completed Tasks".
  void AddTiny(const Quartiles& duration, std::string_view text) {
    static const re2::RE2 completed(R"(Summary Metrics for ([0-9,]+) Completed)");
    constexpr int64_t kMany = 1'000, kTinyNs = 100 * kNanosPerMilli;
    std::string number;
    if (!re2::RE2::PartialMatch({text.data(), text.size()}, completed, &number)) return;
    number.erase(std::remove(number.begin(), number.end(), ','), number.end());
    const int64_t count = ParseInteger(number).value_or(0);
    if (count < kMany || duration.median > kTinyNs) return;
    AddOfTasks(
        "tiny-tasks", fmt::format("{} take {} in the median", Counted(count, "task"), FormatDuration(duration.median)),
        fmt::format("Duration: median {}, longest {}", FormatDuration(duration.median), FormatDuration(duration.most)),
        "Use fewer partitions: fewer and larger files, or a larger spark.sql.files.maxPartitionBytes and "
        "openCostInBytes for a read; a smaller spark.sql.shuffle.partitions or adaptive execution behind a "
        "shuffle. Starting a task takes longer than such a task",
        answer_);
  }

  // True if a count of the keys shows null first: "|       null|88290117|".
  bool HasManyNulls() const {
    return std::any_of(rows_.begin(), rows_.end(), [](const Cells& row) {
      constexpr int64_t kMany = 100'000;
      return row.size() == 2 && ToLowerAscii(row[0]) == "null" && ParseInteger(row[1]).value_or(0) >= kMany;
    });
  }

  void AddLongest(const Quartiles& duration, const auto& sizes_of) {
    constexpr double kMuchLonger = 3, kMuchMore = 2;
    constexpr int64_t kLeastMoreNs = 10 * kNanosPerSecond, kLeastBytes = int64_t{1} << 20;
    if (RatioOf(duration.most, duration.median) < kMuchLonger || duration.most - duration.median < kLeastMoreNs) return;
    const std::string times =
        fmt::format("longest {}, median {}", FormatDuration(duration.most), FormatDuration(duration.median));
    for (const std::string_view name : {"Shuffle Read Size", "Input Size"}) {
      const std::optional<Quartiles> sizes = sizes_of(name);
      if (!sizes || sizes->most < kLeastBytes || RatioOf(sizes->most, sizes->median) < kMuchMore) continue;
      Finding& finding = AddOfTasks(
          "skew",
          fmt::format("The largest task reads {} of data, the median {}", FormatBytes(sizes->most),
                      FormatBytes(sizes->median)),
          fmt::format("Duration: {}", times),
          !key_.empty()
              ? fmt::format(
                    "The text has {} in many of the rows: join the other rows alone and add these with union, or "
                    "spread them by random values that match nothing if it is an outer join; or broadcast the other "
                    "side if it is small, split the key (salting), or set spark.sql.adaptive.enabled and "
                    "spark.sql.adaptive.skewJoin.enabled (from Spark 3 on)",
                    key_)
          : HasManyNulls()
              ? "The key is null in most of these rows, and null never matches: join only the rows with a key, and add "
                "the others with union and null columns; or replace null by random values that match nothing (-1, -2, "
                "…); or broadcast the other side if it is small"
              : "Find the key with most of the rows: filter it if it is null or a default, aggregate before the "
                "join, or split it (salting); for joins from Spark 3 on, spark.sql.adaptive.skewJoin.enabled with "
                "adaptive execution",
          answer_);
      finding.what = "The data of tasks differ, and so do their durations: most likely the largest task is the longest";
      return;
    }
    Finding& finding = AddOfTasks(
        "straggler",
        fmt::format("The longest task takes {}, the median {}", FormatDuration(duration.most),
                    FormatDuration(duration.median)),
        fmt::format("Duration: {}", times),
        "Sort the tasks of the stage by duration: if the long ones are on one host, look at it (disk, CPU, other "
        "programs), and enable spark.speculation; else look at what they do with their rows",
        answer_);
    finding.what = "One or few tasks decide how long the stage takes, and the table shows no more data for them";
  }

  void AddPart(std::string_view name, std::string_view rule, double share, std::string_view subject,
               const Quartiles& duration, std::string_view change) {
    const auto part = TimesOf(name);
    if (!part || part->median < kLeastNs) return;
    // Spark's task duration does not contain the delay.
    const int64_t whole = duration.median + (rule == "scheduler-delay" ? part->median : 0);
    const double ratio = std::min(1.0, RatioOf(part->median, whole));
    if (ratio < share) return;
    AddOfTasks(rule, fmt::format("Tasks wait for {} for {} of their time", subject, FormatShare(ratio)),
               fmt::format("{}: median {}, longest {}", name, FormatDuration(part->median), FormatDuration(part->most)),
               std::string(change), answer_);
  }

  void AddSpill() {
    constexpr int64_t kLeastBytes = int64_t{16} << 20;
    for (const std::string_view name : {"Spill (disk)", "Shuffle spill (disk)"}) {
      const auto spill = SizesOf(name);
      if (!spill || spill->most < kLeastBytes) continue;
      AddOfTasks(
          "spill", fmt::format("Tasks spill up to {} each to disk", FormatBytes(spill->most)),
          fmt::format("{}: median {}, most {}", name, FormatBytes(spill->median), FormatBytes(spill->most)),
          "Use more partitions (spark.sql.shuffle.partitions), more memory for each task, or fewer cores for each "
          "executor",
          answer_);
      return;
    }
  }

  const std::vector<Cells>& rows_;
  FragmentAnswer* answer_;
  std::string key_;
};

// 589480 in "601/601 (589480 skipped)".
int64_t SkippedOf(std::string_view cell) {
  const size_t end = cell.find(" skipped)");
  const size_t open = end == std::string_view::npos ? end : cell.rfind('(', end);
  return open == std::string_view::npos ? 0 : ParseInteger(cell.substr(open + 1, end - open - 1)).value_or(0);
}

// Reads the list of jobs; its columns are in the page's order.
std::string ReadJobs(const std::vector<Cells>& rows, FragmentAnswer* answer) {
  constexpr int64_t kManyTasks = 100'000, kManyStages = 100;
  int64_t jobs = 0, longest_ns = -1, most_tasks = 0, most_stages = 0;
  std::string longest, of_most;
  for (const Cells& row : rows) {
    if (row.size() < 5 || !IsDigits(row[0])) continue;
    ++jobs;
    const std::string description = Shorten(ToOneLine(row[1]), 100);
    const int64_t duration = TimeOf(row[row.size() - 3]).value_or(-1);
    if (duration > longest_ns) {
      longest_ns = duration;
      longest = fmt::format("job {} ({}), {}", row[0], description, FormatDuration(duration));
    }
    const int64_t tasks = SkippedOf(row.back()), stages = SkippedOf(row[row.size() - 2]);
    most_stages = std::max(most_stages, stages);
    if (tasks <= most_tasks) continue;
    most_tasks = tasks;
    of_most = fmt::format("Job {} ({}): {} skipped in {}", row[0], description, Counted(tasks, "task"),
                          Counted(stages, "stage"));
  }
  if (longest_ns >= 0) answer->facts.push_back("The longest is " + longest);
  if (most_tasks >= kManyTasks || most_stages >= kManyStages) {
    Finding& finding = AddOfTasks(
        "job-loop", fmt::format("Jobs skip up to {}: their lineage is long", Counted(most_tasks, "task")), of_most,
        "Cut the lineage every few rounds: checkpoint() or localCheckpoint() of the data that the next round "
        "starts from, or write it and read it back; in DStreams, a checkpoint folder and interval",
        answer);
    finding.what =
        "A skipped stage is no failure: its shuffle data exist from an earlier job. But the driver goes through all of "
        "them for each job, which takes its time and memory, and more with each round that adds to the same data";
  }
  return Counted(jobs, "job");
}

// The number of tasks in "0/200" or "7/8 (1 running)"; nullopt for other texts.
std::optional<int64_t> TasksOf(std::string_view cell) {
  const size_t slash = cell.find('/');
  if (slash == std::string_view::npos || !IsDigits(cell.substr(0, slash))) return std::nullopt;
  const std::string_view total = cell.substr(slash + 1);
  const size_t end = std::min(total.find_first_not_of("0123456789"), total.size());
  return end == total.size() || total.substr(end).starts_with(" (") ? ParseInteger(total.substr(0, end)) : std::nullopt;
}

// Reports a stage that has waited long for the last of many tasks: "199/200" after 40 min.
void AddLastTasks(const Cells& row, const std::string& tasks, int64_t duration_ns, FragmentAnswer* answer) {
  constexpr int64_t kLong = 600 * kNanosPerSecond, kMany = 50, kShare = 50;
  const int64_t total = *TasksOf(tasks);
  const int64_t left = total - ParseInteger(std::string_view(tasks).substr(0, tasks.find('/'))).value_or(total);
  if (duration_ns < kLong || total < kMany || left <= 0 || left * kShare > total) return;
  Finding& finding = AddOfTasks(
      "straggler",
      fmt::format("A stage waits for {} of its {} tasks, after {}", left, total, FormatDuration(duration_ns)),
      fmt::format("Stage {} ({}): {}", row[0], Shorten(ToOneLine(row[1]), 100), tasks),
      "Open the stage and sort its tasks by duration. If the last ones read much more than the others, one key has "
      "most of the rows: filter or spread it (null, defaults; salting; spark.sql.adaptive.skewJoin.enabled), or "
      "broadcast the small side. If they read as much, look at their host, and at what they do with their rows",
      answer);
  finding.what = "One or few tasks decide how long the stage takes";
}

// Reads the list of stages: a long one with a single task keeps one core busy. Empty cells are missing in plain text,
// so that values are found by their form.
std::string ReadStages(const std::vector<Cells>& rows, std::string_view text, FragmentAnswer* answer) {
  constexpr int64_t kLong = 60 * kNanosPerSecond;
  int64_t stages = 0, longest_ns = 0;
  std::string longest;
  for (const Cells& row : rows) {
    if (row.size() < 4 || !IsDigits(row[0])) continue;
    const auto tasks = std::find_if(row.begin() + 2, row.end(), [](const std::string& cell) { return TasksOf(cell); });
    if (tasks == row.end()) continue;
    ++stages;
    const auto duration = std::find_if(row.begin() + 2, tasks, [](const std::string& cell) { return TimeOf(cell); });
    if (duration != tasks) AddLastTasks(row, *tasks, *TimeOf(*duration), answer);
    if (TasksOf(*tasks) != 1 || duration == tasks || *TimeOf(*duration) <= longest_ns) continue;
    longest_ns = *TimeOf(*duration);
    longest = fmt::format("Stage {} ({}): {} task, {}", row[0], Shorten(ToOneLine(row[1]), 100), *tasks,
                          FormatDuration(longest_ns));
  }
  if (longest_ns < kLong) return Counted(stages, "stage");
  const bool is_jdbc = text.find("jdbc") != std::string_view::npos;
  const bool is_multi_line = text.find("multiLine") != std::string_view::npos;
  const bool is_gzip = text.find(".gz") != std::string_view::npos;
  Finding& finding = AddOfTasks(
      "few-partitions", fmt::format("A stage has a single task, which takes {}", FormatDuration(longest_ns)), longest,
      is_jdbc ? "Divide the read from the database: partitionColumn (a number, date or timestamp with an index), "
                "lowerBound, upperBound and numPartitions, or a list of predicates. repartition() comes after the read"
      : is_gzip
          ? "A file with gzip (.gz) cannot be divided, so one task must decompress all of it, and no setting changes "
            "that; it goes on while its input grows. Let it be delivered as many files, without compression, as "
            "Parquet, or with a codec that can "
            "be divided (bzip2); or divide it once before (gunzip, split). repartition() comes after the read"
      : is_multi_line
          ? "A file that is read with multiLine cannot be divided: write JSON with one record a line, or CSV without "
            "line ends in values, and leave the option out; or let it be delivered as many files"
          : "Divide its work: for JDBC partitionColumn, lowerBound, upperBound and numPartitions, for files a format "
            "and compression that can be split; no coalesce(1) and no window without PARTITION BY before it",
      answer);
  finding.what = "One task uses one core, however many executors there are";
  return Counted(stages, "stage");
}

// Reads the list of executors: task time with GC, and executors without tasks.
std::string ReadExecutors(const std::vector<Cells>& rows, size_t heading, FragmentAnswer* answer) {
  constexpr double kMuch = 0.1;
  const Cells& headings = rows[heading];
  const auto time = PlaceOf(headings, "Task Time"), total = PlaceOf(headings, "Total Tasks"),
             failed = PlaceOf(headings, "Failed Tasks");
  int64_t executors = 0, idle = 0, failures = 0, time_ns = 0, gc_ns = 0;
  for (size_t at = heading + 1; at < rows.size(); ++at) {
    const Cells& row = rows[at];
    const auto number = [&](std::optional<size_t> place) {
      return place && *place < row.size() ? ParseInteger(row[*place]) : std::nullopt;
    };
    if (row[0] == "driver" || !IsDigits(row[0])) continue;
    ++executors;
    idle += number(total) == 0 ? 1 : 0;
    failures += std::max<int64_t>(0, number(failed).value_or(0));
    if (!time || *time >= row.size()) continue;
    const std::string& cell = row[*time];  // "2.3 h (40 min)"
    const size_t open = std::min(cell.find('('), cell.size());
    AddSaturated(TimeOf(std::string_view(cell).substr(0, open)).value_or(0), &time_ns);
    if (open < cell.size())
      AddSaturated(TimeOf(std::string_view(cell).substr(open + 1, cell.find(')') - open - 1)).value_or(0), &gc_ns);
  }
  if (failures > 0) answer->facts.push_back(Counted(failures, "failed task"));
  if (time_ns > 0 && RatioOf(gc_ns, time_ns) >= kMuch)
    AddOfTasks(
        "gc",
        fmt::format("Tasks wait for garbage collection for {} of their time", FormatShare(RatioOf(gc_ns, time_ns))),
        fmt::format("Task time {}, GC {}", FormatDuration(time_ns), FormatDuration(gc_ns)),
        "Give executors more memory, or run fewer tasks in each at once (spark.executor.cores); cache less", answer);
  if (executors > 1 && idle > 0)
    AddOfTasks("idle-executors", fmt::format("{} of {} ran no task", CountText(idle), Counted(executors, "executor")),
               {},
               "If stages have fewer tasks than cores, use more partitions; else ask for fewer executors, or enable "
               "dynamic allocation",
               answer);
  return Counted(executors, "executor");
}

// Parses "2026/11/28 07:00:10" as ns; nullopt for other texts.
std::optional<int64_t> BatchTimeOf(const std::string& cell) {
  std::tm parts{};
  if (strptime(cell.c_str(), "%Y/%m/%d %H:%M:%S", &parts) == nullptr) return std::nullopt;
  return timegm(&parts) * kNanosPerSecond;
}

int64_t MedianOf(std::vector<int64_t> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Reads the batches of DStreams: their scheduling delay and processing time against the batch interval.
std::string ReadBatches(const std::vector<Cells>& rows, size_t heading, FragmentAnswer* answer) {
  const Cells& headings = rows[heading];
  const size_t time = *PlaceOf(headings, "Batch Time"), delay = *PlaceOf(headings, "Scheduling Delay"),
               processing = *PlaceOf(headings, "Processing Time");
  std::vector<int64_t> times, durations;
  int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
  int64_t first_delay = -1, last_delay = -1, most_delay = 0;  // delays of the batches at these times
  for (const Cells& row : rows) {
    const size_t last = std::max({time, delay, processing});
    const std::optional<int64_t> at = row.size() > last ? BatchTimeOf(row[time]) : std::nullopt;
    if (!at) continue;
    const std::optional<int64_t> waited = TimeOf(row[delay]), took = TimeOf(row[processing]);
    if (took) durations.push_back(*took);
    if (waited && *at < first_ns) {
      first_ns = *at;
      first_delay = *waited;
    }
    if (waited && *at > last_ns) {
      last_ns = *at;
      last_delay = *waited;
    }
    most_delay = std::max(most_delay, waited.value_or(0));
    times.push_back(*at);
  }
  const std::string count =
      times.size() == 1 ? std::string("1 batch of a stream") : fmt::format("{} batches of a stream", times.size());
  if (times.size() < 2 || durations.empty()) return count;
  std::sort(times.begin(), times.end());
  const int64_t interval = (times.back() - times.front()) / static_cast<int64_t>(times.size() - 1);
  const int64_t took = MedianOf(durations);
  answer->facts.push_back(fmt::format("A batch every {}: processing takes {} in the median, the longest wait is {}",
                                      FormatDuration(interval), FormatDuration(took), FormatDuration(most_delay)));
  const bool is_behind = most_delay >= interval && (took >= interval || last_delay > first_delay);
  if (interval <= 0 || !is_behind) return count;
  Finding& finding = AddOfTasks(
      "streaming-behind",
      fmt::format("Batches wait up to {} before they start: processing takes {}, and one comes every {}",
                  FormatDuration(most_delay), FormatDuration(took), FormatDuration(interval)),
      fmt::format("Scheduling delay of the first batch {}, of the last {}",
                  first_delay < 0 ? "unknown" : FormatDuration(first_delay),
                  last_delay < 0 ? "unknown" : FormatDuration(last_delay)),
      "Shorten the batches: look at their longest stage, use as many partitions as cores, and add cores. Let the input "
      "follow what is processed (spark.streaming.backpressure.enabled=true, "
      "spark.streaming.kafka.maxRatePerPartition), or use longer intervals",
      answer);
  finding.what = "The stream processes less than arrives, so the delay grows until batches fail or data expire";
  return count;
}

}  // namespace

std::string AnswerWebPage(std::string_view text, FragmentAnswer* answer) {
  const std::vector<Cells> rows = RowsOf(text);
  std::vector<std::string> parts;
  TaskSummary tasks(rows, answer);
  if (tasks.Read(text)) parts.emplace_back("metrics of a stage's tasks");
  // The page has one table each for running, completed and failed jobs; they are read as one.
  const auto heading_of = [&](std::string_view first, std::string_view second) {
    return std::find_if(rows.begin(), rows.end(),
                        [&](const Cells& row) { return PlaceOf(row, first) && PlaceOf(row, second); });
  };
  if (heading_of("Job Id", "Description") != rows.end()) parts.push_back(ReadJobs(rows, answer));
  if (heading_of("Stage Id", "Tasks: Succeeded") != rows.end()) parts.push_back(ReadStages(rows, text, answer));
  if (const auto heading = heading_of("Executor ID", "Address"); heading != rows.end())
    parts.push_back(ReadExecutors(rows, static_cast<size_t>(heading - rows.begin()), answer));
  if (const auto heading = std::find_if(rows.begin(), rows.end(),
                                        [](const Cells& row) {
                                          return PlaceOf(row, "Batch Time") && PlaceOf(row, "Scheduling Delay") &&
                                                 PlaceOf(row, "Processing Time");
                                        });
      heading != rows.end())
    parts.push_back(ReadBatches(rows, static_cast<size_t>(heading - rows.begin()), answer));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace sparkprof
