// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "analysis/owners/cpu_owners.h"
#include "analysis/selection/threads.h"
#include "base/io/file.h"
#include "base/system.h"
#include "base/text/text.h"
#include "base/time.h"
#include "capture/proc.h"
#include "capture/process_tree.h"
#include "capture/python/process_sampler.h"
#include "model/samples/stack_tables.h"
#include "profiles/frame_origin.h"
#include "spark/spark_processes.h"
#include "top/top_source.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxRows = 20, kMaxOwners = 8, kMaxLines = 8;

int64_t TicksToNanos(int64_t ticks) {
  static const int64_t ticks_per_second = std::max(1L, sysconf(_SC_CLK_TCK));
  return ticks * (kNanosPerSecond / ticks_per_second);
}

// The owner of a JVM thread, from its name in the kernel.
std::string OwnerOf(std::string_view thread) {
  return KindOfThreadName(thread) == ThreadKind::kTask ? "tasks" : OwnerOfThreadName(ToOneLine(thread)).second;
}

std::string_view OwnerOf(ProcessRole role) {
  switch (role) {
    case ProcessRole::kPythonWorker:
      return "Python workers";
    case ProcessRole::kPythonDriver:
      return "driver program";
    case ProcessRole::kPythonDaemon:
      return "start of Python workers";
    case ProcessRole::kAgent:
      return "sparkprof";
    default:
      return "other processes";
  }
}

struct Row {
  std::string role, application, executor;
  ProcessReading reading;
  int64_t cpu_ns = 0;  // since the previous picture
};

class PythonLines {
 public:
  explicit PythonLines(PythonProcess python)
      : sampler_(std::move(python), &tables_.strings, &tables_.frames, &tables_.stacks) {}

  bool Sample() {
    std::vector<PythonStack> threads;
    if (!sampler_.Sample(&threads)) return false;
    for (const PythonStack& thread : threads) {
      if (thread.cpu_ns > 0) by_stack_[thread.stack] += thread.cpu_ns;
    }
    return true;
  }

  // Adds the lines since the last call, "job.py:12 parse", and clears them.
  void Take(std::map<std::string, int64_t>* lines) {
    std::vector<FrameId> frames;
    for (const auto& [stack, cpu_ns] : by_stack_) {
      tables_.stacks.Unwind(stack, &frames);
      for (auto id = frames.rbegin(); id != frames.rend(); ++id) {
        const Frame& frame = tables_.frames.Get(*id);
        const std::string_view name = tables_.strings.Get(frame.name), file = tables_.strings.Get(frame.file);
        if (frame.line == 0 || OriginOf(name, file, frame.kind) != FrameOrigin::kUser) continue;
        (*lines)[fmt::format("{}:{} {}", file.substr(file.rfind('/') + 1), frame.line, name)] += cpu_ns;
        break;
      }
    }
    by_stack_.clear();
  }

 private:
  StackTables tables_;
  ProcessSampler sampler_;
  std::map<StackId, int64_t> by_stack_;
};

class ShownHost : public TopSource {
 public:
  Result<std::vector<std::string>> Lines(const WorkTextStyle& style) override {
    const int64_t now_ns = MonotonicNanos();
    const double passed_ns = static_cast<double>(std::max<int64_t>(1, now_ns - last_ns_));
    std::map<std::string, int64_t> owners;
    std::vector<Row> rows = ReadProcesses(&owners);
    std::map<std::string, int64_t> lines_cpu;
    for (auto& [pid, python] : pythons_) {
      if (python) python->Take(&lines_cpu);
    }
    last_ns_ = now_ns;

    std::stable_sort(rows.begin(), rows.end(), [this](const Row& a, const Row& b) {
      return by_memory_ ? a.reading.rss_bytes > b.reading.rss_bytes : a.cpu_ns > b.cpu_ns;
    });
    const auto percent = [&](int64_t cpu_ns) {
      return fmt::format("{:.0f}%", 100 * static_cast<double>(cpu_ns) / passed_ns);
    };
    std::vector<std::string> lines{
        TitleLine(fmt::format("{}  {} Spark process{}, CPU in percent of one core  {}", HostName(), rows.size(),
                              rows.size() == 1 ? "" : "es", FormatTimestamp(EpochNanos())),
                  style)};
    lines.emplace_back();
    if (rows.empty()) {
      lines.emplace_back("No Spark JVM is running on this host.");
      return lines;
    }
    AddProcesses(rows, percent, style, &lines);
    AddShares("OWNER OF CPU", owners, kMaxOwners, percent, style, &lines);
    AddShares("PYTHON LINE", lines_cpu, kMaxLines, percent, style, &lines);
    if (!note_.empty()) lines.push_back(TitleLine(note_, {.width = style.width}));
    if (style.height > 0 && lines.size() > style.height) lines.resize(style.height);
    return lines;
  }

  bool OnKey(char key) override {
    if (key != 's') return false;
    by_memory_ = !by_memory_;
    return true;
  }
  std::string Keys() const override { return fmt::format("s sort ({})", by_memory_ ? "memory" : "CPU"); }
  bool IsOfInterval() const override { return true; }

  void Measure() override {
    for (auto& [pid, python] : pythons_) {
      if (python && !python->Sample()) python.reset();
    }
  }

 private:
  std::vector<Row> ReadProcesses(std::map<std::string, int64_t>* owners) {
    std::map<int64_t, SparkJvm> jvms;
    for (SparkJvm& jvm : FindSparkJvms(false)) jvms.emplace(jvm.pid, std::move(jvm));
    std::erase_if(trees_, [&](const auto& tree) { return !jvms.contains(tree.first); });
    for (const auto& [pid, jvm] : jvms) trees_.try_emplace(pid, pid, 0);
    std::map<int64_t, ProcessReading> readings;
    for (auto& [pid, tree] : trees_) {
      for (ProcessReading& reading : tree.Scan()) readings.emplace(reading.pid, std::move(reading));
    }
    std::vector<Row> rows;
    std::map<int64_t, int64_t> cpu_ns, thread_cpu_ns;
    for (auto& [pid, reading] : readings) {
      Row row{.reading = reading};
      cpu_ns[pid] = reading.cpu_ns;
      row.cpu_ns = Since(last_cpu_ns_, pid, reading.cpu_ns);
      const auto jvm = jvms.find(pid);
      row.role =
          jvm == jvms.end() ? std::string(ProcessRoleName(reading.role)) : std::string(JvmRoleName(jvm->second.role));
      if (const SparkJvm* const family = FamilyOf(pid, readings, jvms)) {
        row.application = family->application_id;
        row.executor = family->executor_id;
      }
      if (jvm != jvms.end()) {
        AddThreads(pid, &thread_cpu_ns, owners);
        if (!jvm->second.application_name.empty()) row.reading.command = jvm->second.application_name;
      } else if (row.cpu_ns > 0) {
        (*owners)[std::string(OwnerOf(reading.role))] += row.cpu_ns;
      }
      WatchPython(pid, reading.role);
      rows.push_back(std::move(row));
    }
    std::erase_if(pythons_, [&](const auto& python) { return !readings.contains(python.first); });
    last_cpu_ns_ = std::move(cpu_ns);
    last_thread_cpu_ns_ = std::move(thread_cpu_ns);
    return rows;
  }

  // The JVM that a process belongs to: itself, or its nearest ancestor.
  static const SparkJvm* FamilyOf(int64_t pid, const std::map<int64_t, ProcessReading>& readings,
                                  const std::map<int64_t, SparkJvm>& jvms) {
    constexpr int kMaxSteps = 64;
    for (int step = 0; step < kMaxSteps; ++step) {
      if (const auto jvm = jvms.find(pid); jvm != jvms.end()) return &jvm->second;
      const auto reading = readings.find(pid);
      if (reading == readings.end()) return nullptr;
      pid = reading->second.parent_pid;
    }
    return nullptr;
  }

  void AddThreads(int64_t pid, std::map<int64_t, int64_t>* cpu_ns, std::map<std::string, int64_t>* owners) const {
    std::error_code error;
    for (fs::directory_iterator entry(fmt::format("/proc/{}/task", pid), error), end; !error && entry != end;
         entry.increment(error)) {
      const Result<std::string> text = ReadFile(entry->path().string() + "/stat");
      if (!text) continue;  // exited
      const Result<ProcessStat> stat = ParseProcessStat(*text, "stat");
      if (!stat) continue;
      const int64_t used_ns = TicksToNanos(stat->user_ticks + stat->system_ticks);
      (*cpu_ns)[stat->pid] = used_ns;
      const int64_t since_ns = Since(last_thread_cpu_ns_, stat->pid, used_ns);
      if (since_ns > 0) (*owners)[OwnerOf(stat->command)] += since_ns;
    }
  }

  // 0 if it did not exist before.
  static int64_t Since(const std::map<int64_t, int64_t>& before, int64_t id, int64_t now) {
    const auto last = before.find(id);
    return last == before.end() ? 0 : std::max<int64_t>(0, now - last->second);
  }

  void WatchPython(int64_t pid, ProcessRole role) {
    if (role != ProcessRole::kPythonWorker && role != ProcessRole::kPythonDriver) return;
    if (pythons_.contains(pid)) return;
    Result<PythonProcess> python = FindPython(pid);
    if (!python) note_ = "Python lines: " + python.error().message;
    pythons_.emplace(pid, python ? std::make_unique<PythonLines>(std::move(*python)) : nullptr);
  }

  template <typename Percent>
  void AddProcesses(const std::vector<Row>& rows, const Percent& percent, const WorkTextStyle& style,
                    std::vector<std::string>* lines) const {
    std::vector<std::vector<std::string>> cells;
    const auto or_dash = [](const std::string& text) { return text.empty() ? std::string("-") : text; };
    const size_t most = style.height == 0 ? kMaxRows : std::max<size_t>(5, style.height / 3);
    for (const Row& row : rows) {
      if (cells.size() == most) break;
      cells.push_back({percent(row.cpu_ns), FormatBytes(row.reading.rss_bytes), std::to_string(row.reading.threads),
                       std::to_string(row.reading.pid), row.role, or_dash(row.application), or_dash(row.executor),
                       row.reading.command});
    }
    const auto table = ColumnLines({{"CPU", true},
                                    {"RSS", true},
                                    {"THREADS", true},
                                    {"PID", true},
                                    {"ROLE"},
                                    {"APPLICATION"},
                                    {"EXECUTOR"},
                                    {"WHAT"}},
                                   cells, style);
    lines->insert(lines->end(), table.begin(), table.end());
    if (rows.size() > cells.size()) lines->push_back(fmt::format("… {} more", rows.size() - cells.size()));
  }

  template <typename Percent>
  static void AddShares(std::string_view title, const std::map<std::string, int64_t>& shares, size_t most,
                        const Percent& percent, const WorkTextStyle& style, std::vector<std::string>* lines) {
    if (shares.empty()) return;
    std::vector<std::pair<int64_t, std::string>> sorted;
    for (const auto& [name, cpu_ns] : shares) sorted.emplace_back(cpu_ns, name);
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<std::vector<std::string>> cells;
    for (const auto& [cpu_ns, name] : sorted) {
      if (cells.size() < most) cells.push_back({percent(cpu_ns), name});
    }
    lines->emplace_back();
    const auto table = ColumnLines({{"CPU", true}, {title}}, cells, style);
    lines->insert(lines->end(), table.begin(), table.end());
  }

  int64_t last_ns_ = 0;  // time of the previous picture
  bool by_memory_ = false;
  std::map<int64_t, ProcessTree> trees_;  // by PID of the JVM
  std::map<int64_t, int64_t> last_cpu_ns_, last_thread_cpu_ns_;
  std::map<int64_t, std::unique_ptr<PythonLines>> pythons_;  // null = unreadable
  std::string note_;                                         // why a Python process has no lines
};

}  // namespace

std::unique_ptr<TopSource> HostTop() { return std::make_unique<ShownHost>(); }

}  // namespace sparkprof
