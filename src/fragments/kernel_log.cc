// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/saturate.h"
#include "base/text/characters.h"
#include "base/text/text.h"
#include "fragments/fragment_readers.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxKills = 100;
constexpr size_t kMaxNames = 100;
constexpr size_t kShownNames = 5;
constexpr size_t kMaxCgroup = 200;
constexpr int64_t kMaxKilobytes = INT64_MAX >> 10;
constexpr int64_t kPageBytes = 4096;

struct Processes {
  int64_t count = 0, bytes = 0;
};

// A process killed by the kernel's OOM killer.
struct Kill {
  std::string process, pid, cgroup;             // no cgroup = the whole host, unless has_limit
  bool has_limit = false;                       // a cgroup's limit was reached
  int64_t limit_bytes = 0, resident_bytes = 0;  // 0 = unknown
  std::map<std::string, Processes> resident;    // processes in the cgroup or on the host, by name
};

// The bytes in "5767168kB" after `name`; 0 if missing.
int64_t KilobytesBehind(std::string_view line, std::string_view name) {
  const size_t at = line.find(name);
  if (at == std::string_view::npos) return 0;
  line.remove_prefix(at + name.size());
  const int64_t number = ParseInteger(line.substr(0, line.find_first_not_of("0123456789"))).value_or(0);
  return number > 0 && number <= kMaxKilobytes ? number << 10 : 0;
}

// The text after `name`, up to one of the characters in `end`; empty if missing.
std::string_view TextBehind(std::string_view line, std::string_view name, std::string_view end) {
  const size_t at = line.find(name);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + name.size());
  return line.substr(0, line.find_first_of(end));
}

class KernelLogReader {
 public:
  std::vector<Kill> Read(std::string_view text) {
    while (!text.empty() && kills_.size() < kMaxKills) AddLine(Trim(TakeLine(&text)));
    return std::move(kills_);
  }

 private:
  void AddLine(std::string_view line) {
    if (line.find(" invoked oom-killer: ") != std::string_view::npos) next_ = {};
    if (line.find("memory: usage ") != std::string_view::npos && next_.limit_bytes == 0)
      next_.limit_bytes = KilobytesBehind(line, "limit ");
    if (const std::string_view cgroup = TextBehind(line, " killed as a result of limit of ", " "); !cgroup.empty())
      next_.cgroup = Shorten(cgroup, kMaxCgroup);
    if (const std::string_view cgroup = TextBehind(line, ",oom_memcg=", ", "); !cgroup.empty())
      next_.cgroup = Shorten(cgroup, kMaxCgroup);
    if (line.find("Memory cgroup out of memory") != std::string_view::npos) next_.has_limit = true;
    AddProcess(line);
    AddKill(line);
  }

  // "[32498]   185 32498  2713442  1131920    2561 … java": the fifth column is the number of resident pages.
  void AddProcess(std::string_view line) {
    const size_t open = line.rfind('['), close = line.rfind(']');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) return;
    if (!IsDigits(Trim(line.substr(open + 1, close - open - 1)))) return;
    std::string_view rest = Trim(line.substr(close + 1));
    std::vector<std::string_view> words;
    while (!rest.empty()) {
      words.push_back(rest.substr(0, rest.find(' ')));
      rest = Trim(rest.substr(words.back().size()));
    }
    constexpr size_t kLeastColumns = 7;
    if (words.size() < kLeastColumns || !IsDigits(words[3]) || next_.resident.size() == kMaxNames) return;
    const int64_t pages = ParseInteger(words[3]).value_or(0);
    Processes& processes = next_.resident[std::string(words.back())];
    ++processes.count;
    AddSaturated(std::min(pages, INT64_MAX / kPageBytes) * kPageBytes, &processes.bytes);
  }

  // "Killed process 32498 (java) total-vm:10853768kB, anon-rss:4510344kB, file-rss:17336kB, shmem-rss:0kB"
  void AddKill(std::string_view line) {
    constexpr std::string_view kKilled = "Killed process ";
    const size_t at = line.find(kKilled);
    if (at == std::string_view::npos) return;
    line.remove_prefix(at + kKilled.size());
    next_.pid = line.substr(0, line.find_first_not_of("0123456789"));
    next_.process = TextBehind(line, "(", ")");
    for (const std::string_view part : {"anon-rss:", "file-rss:", "shmem-rss:"})
      AddSaturated(KilobytesBehind(line, part), &next_.resident_bytes);
    next_.has_limit |= !next_.cgroup.empty() || next_.limit_bytes > 0;
    if (!next_.process.empty()) kills_.push_back(std::move(next_));
    next_ = {};
  }

  std::vector<Kill> kills_;
  Kill next_;
};

// "4.3 GiB of 1 java, 1.1 GiB of 3 python3", largest first.
std::string ResidentText(const Kill& kill) {
  std::vector<std::pair<std::string, Processes>> rows(kill.resident.begin(), kill.resident.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second.bytes > b.second.bytes; });
  if (rows.size() > kShownNames) rows.resize(kShownNames);
  std::vector<std::string> texts;
  for (const auto& [name, processes] : rows)
    texts.push_back(fmt::format("{} of {} {}", FormatBytes(processes.bytes), processes.count, name));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string AdviceForKill(const Kill& kill) {
  if (!kill.has_limit)
    return "Run fewer or smaller executors on the host, so that their heaps and overheads together leave memory for "
           "the system: the whole host had none left";
  Processes python;
  for (const auto& [name, processes] : kill.resident) {
    if (!name.starts_with("python")) continue;
    python.count += processes.count;
    AddSaturated(processes.bytes, &python.bytes);
  }
  std::string advice =
      "Give the container more memory beside the heap: spark.executor.memoryOverhead (spark.driver.memoryOverhead for "
      "a driver); or less to hold: fewer cores for each executor, or a smaller heap";
  if (python.count > 0)
    advice += fmt::format(
        ". Python's processes ({}) hold {} of it: fewer cores mean fewer of them, a lower "
        "spark.sql.execution.arrow.maxRecordsPerBatch smaller ones, and spark.executor.pyspark.memory adds memory for "
        "them",
        python.count, FormatBytes(python.bytes));
  return advice;
}

}  // namespace

std::string AnswerKernelLog(std::string_view text, FragmentAnswer* answer) {
  const std::vector<Kill> kills = KernelLogReader().Read(text);
  if (kills.empty()) return "no process was killed";
  const Kill& kill = kills.front();
  const auto fact = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) answer->facts.push_back(fmt::format("{}: {}", name, value));
  };
  Counts names;
  for (const Kill& one : kills) ++names[one.process];
  fact("Killed", CountsText(names));
  const std::string process = fmt::format("{} (process {})", kill.process, kill.pid);
  if (kill.resident_bytes > 0) fact(process, fmt::format("{} resident", FormatBytes(kill.resident_bytes)));
  if (kill.limit_bytes > 0) fact("Limit of its control group", FormatBytes(kill.limit_bytes));
  fact("Control group", kill.cgroup);
  fact("Resident", ResidentText(kill));
  const std::string limit = kill.limit_bytes > 0 ? fmt::format(" of {}", FormatBytes(kill.limit_bytes)) : std::string();
  const std::string cause =
      kill.has_limit ? fmt::format("its container reached its memory limit{}", limit) : "the host had no memory left";
  Finding& finding = AddFinding("oom", fmt::format("The kernel killed {}: {}", kill.process, cause), answer);
  finding.what =
      fmt::format("The kernel ended {} from outside (exit code 137), so it has no OutOfMemoryError", process);
  finding.evidence = fmt::format("{}", fmt::join(answer->facts, "; "));
  finding.condition = "The kernel's log says that it killed a process for memory";
  finding.change = AdviceForKill(kill);
  finding.is_failure = true;
  finding.severity = Severity::kHigh;
  finding.confidence = 1;
  return finding.title;
}

}  // namespace sparkprof
