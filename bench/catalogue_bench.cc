// SPDX-License-Identifier: Apache-2.0
// catalogue_bench FOLDER [APPLICATIONS]: fills a catalogue in FOLDER with synthetic applications unless it is there,
// and measures the queries of `sparkprof serve`: the median of nine times, the fastest, and the mean CPU time.
// catalogue_bench http://HOST:PORT,… CLUSTER [APPLICATIONS]: the same with ClickHouse.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "base/time.h"
#include "bench/process_usage.h"
#include "catalogue/catalogue_sql.h"
#include "catalogue/clickhouse/clickhouse_catalogue.h"
#include "catalogue/duckdb/duckdb_catalogue.h"

namespace sparkprof {
namespace {

constexpr int64_t kStartNs = 480'000 * kHourNs;
constexpr int kStacks = 185'000;     // distinct ones of the group "big"
constexpr int kBigRows = 1'300'000;  // its stack totals
constexpr int kBigApplications = 100;

template <typename T>
T Must(Result<T> result) {
  if (!result) {
    fmt::print(stderr, "catalogue_bench: {}\n", result.error().message);
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

class Filler {
 public:
  // A tree of frames: stacks share their callers, as those of real programs do.
  Filler() {
    for (int i = 0; i < 20'000; ++i) {
      frames_.push_back(shared_.frames.Intern(
          {.name = shared_.strings.Intern(fmt::format("org.example.package{}.Class{}.method{}", i % 97, i % 1'013, i)),
           .file = shared_.strings.Intern(fmt::format("Class{}.java", i % 1'013)),
           .kind = FrameKind::kJit}));
    }
    std::vector<std::pair<StackId, int>> nodes{{0, 0}};
    while (stacks_.size() < kStacks) {
      // A branch of a few frames from somewhere in the tree, up to 60 deep.
      auto [stack, depth] = nodes[random_() % nodes.size()];
      for (int i = 0; i < 4 && depth < 60; ++i) {
        stack = shared_.stacks.Push(stack, frames_[random_() % frames_.size()]);
        nodes.emplace_back(stack, ++depth);
      }
      stacks_.push_back(stack);
    }
  }

  ApplicationRow Row(int64_t n) {
    const int64_t start_ns = kStartNs + n * 26 * kNanosPerSecond;  // 100,000 in a month
    return {.key = {fmt::format("application_17000{:07}_{:04}", n / 1'000, n), "1"},
            .name = fmt::format("job {} of {}", n % 400, n % 37),
            .user = fmt::format("user{}", n % 61),
            .group = fmt::format("group {}", n % 400),
            .status = static_cast<ApplicationStatus>(n % 50 == 0 ? 2 : 1),
            .start_ns = start_ns,
            .end_ns = start_ns + static_cast<int64_t>(random_() % 7'200) * kNanosPerSecond,
            .tasks = static_cast<int64_t>(random_() % 10'000),
            .cpu_ns = static_cast<int64_t>(random_() % 100'000) * kNanosPerSecond,
            .findings = 2,
            .location = fmt::format("s3://bucket/recordings/{}.sprof", n),
            .version = "1234567:1700000000"};
  }

  CatalogueEntry Entry(int64_t n, int totals, int stacks) {
    CatalogueEntry entry;
    entry.application = Row(n);
    for (int i = 0; i < 8; ++i) {
      entry.stages.push_back({i, 0, fmt::format("count at Job.scala:{}", i), "succeeded", kStartNs, kStartNs, 200});
    }
    for (int i = 0; i < 4; ++i) entry.executors.push_back({std::to_string(i), "host", 4, kStartNs, 0});
    entry.findings.push_back({"gc", "high", "Stage 4: GC takes 66% of task time", 5});
    entry.findings.push_back({n % 3 == 0 ? "skew" : "spill", "low", "Stage 5: something of note", 5});
    for (int i = 0; i < 20; ++i) entry.maxima.push_back({fmt::format("process.series{}", i), kStartNs, 1.0 * i});
    AddTotals(totals, stacks, &entry);
    return entry;
  }

 private:
  void AddTotals(int totals, int stacks, CatalogueEntry* entry) {
    if (totals == 0) return;
    entry->stacks.strings = shared_.strings;
    entry->stacks.frames = shared_.frames;
    entry->stacks.stacks = shared_.stacks;
    entry->stacks.events.push_back({.name = "cpu", .unit = "ns"});
    for (int i = 0; i < totals; ++i) {
      // Few stacks have most of the samples.
      const double uniform = std::uniform_real_distribution<>(0, 1)(random_);
      const auto at = static_cast<size_t>(uniform * uniform * stacks);
      const auto samples = static_cast<int64_t>(1 + random_() % 30);
      entry->totals.push_back(
          {entry->application.start_ns / kHourNs * kHourNs, 0, stacks_[at], samples * 10'000'000, samples});
    }
  }

  std::mt19937_64 random_{1};
  Profile shared_;
  std::vector<FrameId> frames_;
  std::vector<StackId> stacks_;
};

void Fill(Catalogue* catalogue, int64_t applications) {
  Filler filler;
  const int64_t begin_ns = MonotonicNanos();
  std::vector<CatalogueEntry> batch;
  for (int64_t n = 0; n < applications; ++n) {
    batch.push_back(filler.Entry(n, 0, 0));
    if (batch.size() == 1'000 || n + 1 == applications) {
      Must(catalogue->PutAll(batch));
      batch.clear();
    }
  }
  fmt::print("filled {} applications in {:.1f} s\n", applications, (MonotonicNanos() - begin_ns) / 1e9);
  std::vector<int64_t> times;
  for (int n = 0; n < kBigApplications; ++n) {
    CatalogueEntry entry = filler.Entry(applications + n, kBigRows / kBigApplications, kStacks);
    entry.application.group = "big";
    const int64_t put_ns = MonotonicNanos();
    Must(catalogue->Put(entry));
    times.push_back(MonotonicNanos() - put_ns);
  }
  std::sort(times.begin(), times.end());
  fmt::print("put of {} stack totals: median {:.1f} ms, largest {:.1f} ms\n", kBigRows / kBigApplications,
             times[times.size() / 2] / 1e6, times.back() / 1e6);
}

void Measure(const char* what, const std::function<size_t()>& run) {
  std::vector<int64_t> times;
  size_t rows = 0;
  const int64_t cpu_ns = CpuNanos();
  for (int i = 0; i < 9; ++i) {
    const int64_t begin_ns = MonotonicNanos();
    rows = run();
    times.push_back(MonotonicNanos() - begin_ns);
  }
  std::sort(times.begin(), times.end());
  fmt::print("{:<44} {:>8.1f} ms (fastest {:.1f}), CPU {:.1f} ms, {} rows\n", what, times[4] / 1e6, times[0] / 1e6,
             (CpuNanos() - cpu_ns) / 9e6, rows);
}

void MeasureAll(Catalogue* catalogue) {
  const auto list = [&](const char* what, const ApplicationQuery& query) {
    Measure(what, [&] { return Must(catalogue->Applications(query)).applications.size(); });
  };
  list("first page", {});
  list("by CPU", {.order = ApplicationOrder::kCpu});
  list("by duration, ascending", {.order = ApplicationOrder::kDuration, .descending = false});
  list("by name", {.order = ApplicationOrder::kName});
  list("search", {.search = "JOB 39"});
  list("search without a hit", {.search = "nothing has this"});
  list("of a group", {.group = "group 7"});
  list("of a user, failed", {.user = "user7", .status = ApplicationStatus::kFailed});
  list("with a finding", {.finding = "skew"});
  list("of a day", {.from_ns = kStartNs + 240 * kHourNs, .to_ns = kStartNs + 264 * kHourNs});
  list("search, group, user, finding, day",
       {.search = "job", .group = "group 7", .user = "user7", .finding = "spill", .from_ns = kStartNs});
  ApplicationQuery last{.order = ApplicationOrder::kTasks, .limit = 1'000};
  for (int i = 0; i < 50; ++i) last.cursor = Must(catalogue->Applications(last)).next;
  list("page 51 of 1,000 rows, by tasks", last);
  Measure("one application", [&] { return Must(catalogue->Find("application_170000000050_50000", {})).has_value(); });
  Measure("groups", [&] { return Must(catalogue->Groups(std::nullopt)).size(); });
  Measure("findings of a group", [&] { return Must(catalogue->GroupFindings({.group = "group 7"})).size(); });
  Measure("maxima of a group", [&] { return Must(catalogue->GroupMaxima({.group = "group 7"})).size(); });
  Measure("flame graph's samples, 1.3 M stack totals",
          [&] { return Must(catalogue->GroupSamples({.group = "big"}, "cpu")).samples.size(); });
  ApplicationRow row = Must(catalogue->Applications({})).applications.at(0);
  Measure("put of a row", [&] {
    ++row.tasks;
    Must(catalogue->PutRow(row));
    return 1;
  });
}

void MeasureClickhouse(std::string_view servers, const char* cluster, int64_t applications) {
  ClickhouseOptions options{.servers = {}, .cluster = cluster, .database = "catalogue_bench"};
  for (const std::string_view server : Split(servers, ',')) options.servers.emplace_back(server);
  Fill(Must(OpenClickhouseCatalogue(options)).get(), applications);
  const std::unique_ptr<Catalogue> catalogue = Must(OpenClickhouseCatalogue(options));
  MeasureAll(catalogue.get());
  fmt::print("peak memory of this process {} MiB\n", PeakMebibytes());
}

int Main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: catalogue_bench FOLDER [APPLICATIONS]\n");
    return 2;
  }
  if (std::string_view(argv[1]).starts_with("http://") && argc > 2) {
    MeasureClickhouse(argv[1], argv[2], argc > 3 ? std::atoll(argv[3]) : 100'000);
    return 0;
  }
  const std::string path = std::string(argv[1]) + "/catalogue.duckdb";
  const int64_t applications = argc > 2 ? std::atoll(argv[2]) : 100'000;
  std::filesystem::create_directories(argv[1]);
  if (!std::filesystem::exists(path)) Fill(Must(OpenDuckdbCatalogue(path)).get(), applications);
  fmt::print("{:.1f} MB on disk\n", static_cast<double>(std::filesystem::file_size(path)) / 1e6);
  const int64_t begin_ns = MonotonicNanos();
  const std::unique_ptr<Catalogue> catalogue = Must(OpenDuckdbCatalogue(path));
  fmt::print("open {:.0f} ms\n", (MonotonicNanos() - begin_ns) / 1e6);
  MeasureAll(catalogue.get());
  fmt::print("peak memory {} MiB\n", PeakMebibytes());
  return 0;
}

}  // namespace
}  // namespace sparkprof

int main(int argc, char** argv) { return sparkprof::Main(argc, argv); }
