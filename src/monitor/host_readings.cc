// SPDX-License-Identifier: Apache-2.0
#include "monitor/host_readings.h"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr int64_t kKibi = 1024;
constexpr int64_t kSectorBytes = 512;  // unit of /proc/diskstats, independent of the disk
constexpr size_t kMaxControlGroups = 256;
constexpr int64_t kControlGroupIntervalNs = 5 * kNanosPerSecond;

std::vector<std::string_view> Fields(std::string_view line) {
  std::vector<std::string_view> fields;
  for (size_t at = line.find_first_not_of(" \t"); at != std::string_view::npos;
       at = line.find_first_not_of(" \t", at)) {
    const size_t end = std::min(line.find_first_of(" \t", at), line.size());
    fields.push_back(line.substr(at, end - at));
    at = end;
  }
  return fields;
}

// Omits values that are not numbers or do not fit.
void Add(std::string name, SeriesKind kind, std::string_view text, int64_t scale, std::vector<HostValue>* values) {
  const auto number = ParseInteger(text);
  if (!number || *number < 0 || *number > std::numeric_limits<int64_t>::max() / scale) return;
  values->push_back({std::move(name), kind, *number * scale});
}

// Makes a device or cgroup name usable in a series name: one line of text without spaces.
std::string NamePart(std::string_view text) {
  std::string name = ToOneLine(text);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

bool IsDisk(std::string_view name) {
  if (name.starts_with("loop") || name.starts_with("ram") || name.starts_with("zram")) return false;
  const bool ends_in_digit = name.back() >= '0' && name.back() <= '9';
  // "sda1", "vda1" and "nvme0n1p1" are partitions; "nvme0n1", "md0" and "dm-0" are disks.
  const bool has_numbered_disks = name.starts_with("nvme") || name.starts_with("mmcblk");
  if (has_numbered_disks) return name.find('p') == std::string_view::npos;
  return !ends_in_digit || name.starts_with("md") || name.starts_with("dm-");
}

}  // namespace

std::vector<HostValue> ParseCpuTimes(std::string_view stat) {
  constexpr std::string_view kParts[] = {"user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"};
  std::vector<HostValue> values;
  const int64_t tick_ns = NanosOfTicks(1);
  for (const std::string_view line : Split(stat, '\n')) {
    const std::vector<std::string_view> fields = Fields(line);
    if (fields.size() < 2) continue;
    if (fields[0] == "cpu") {
      for (size_t i = 0; i < std::size(kParts) && i + 1 < fields.size(); ++i) {
        Add("host.cpu_" + std::string(kParts[i]) + "_ns", SeriesKind::kCounter, fields[i + 1], tick_ns, &values);
      }
    }
    if (fields[0] == "processes") Add("host.forks", SeriesKind::kCounter, fields[1], 1, &values);
    if (fields[0] == "procs_running") Add("host.running_threads", SeriesKind::kGauge, fields[1], 1, &values);
  }
  return values;
}

std::vector<HostValue> ParseHostMemory(std::string_view meminfo) {
  constexpr std::pair<std::string_view, std::string_view> kKnown[] = {
      {"MemTotal:", "host.memory_total_bytes"}, {"MemAvailable:", "host.memory_available_bytes"},
      {"MemFree:", "host.memory_free_bytes"},   {"Cached:", "host.memory_cached_bytes"},
      {"Dirty:", "host.memory_dirty_bytes"},    {"SwapTotal:", "host.swap_total_bytes"},
      {"SwapFree:", "host.swap_free_bytes"}};
  std::vector<HostValue> values;
  for (const std::string_view line : Split(meminfo, '\n')) {
    const std::vector<std::string_view> fields = Fields(line);
    if (fields.size() < 2) continue;
    for (const auto& [key, name] : kKnown) {
      if (fields[0] == key) Add(std::string(name), SeriesKind::kGauge, fields[1], kKibi, &values);
    }
  }
  return values;
}

std::vector<HostValue> ParseDisks(std::string_view diskstats) {
  constexpr size_t kName = 2, kSectorsRead = 5, kSectorsWritten = 9, kBusyMillis = 12;
  std::vector<HostValue> values;
  for (const std::string_view line : Split(diskstats, '\n')) {
    const std::vector<std::string_view> fields = Fields(line);
    if (fields.size() <= kBusyMillis || !IsDisk(fields[kName])) continue;
    const std::string start = "host.disk." + NamePart(fields[kName]);
    Add(start + ".read_bytes", SeriesKind::kCounter, fields[kSectorsRead], kSectorBytes, &values);
    Add(start + ".write_bytes", SeriesKind::kCounter, fields[kSectorsWritten], kSectorBytes, &values);
    Add(start + ".busy_ns", SeriesKind::kCounter, fields[kBusyMillis], kNanosPerMilli, &values);
  }
  return values;
}

std::vector<HostValue> ParseNetwork(std::string_view dev) {
  constexpr size_t kReceived = 0, kReceiveErrors = 2, kSent = 8, kSendErrors = 10;
  std::vector<HostValue> values;
  for (const std::string_view line : Split(dev, '\n')) {
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::vector<std::string_view> fields = Fields(line.substr(colon + 1));
    if (fields.size() <= kSendErrors) continue;
    const std::string start = "host.network." + NamePart(Trim(line.substr(0, colon)));
    Add(start + ".received_bytes", SeriesKind::kCounter, fields[kReceived], 1, &values);
    Add(start + ".receive_errors", SeriesKind::kCounter, fields[kReceiveErrors], 1, &values);
    Add(start + ".sent_bytes", SeriesKind::kCounter, fields[kSent], 1, &values);
    Add(start + ".send_errors", SeriesKind::kCounter, fields[kSendErrors], 1, &values);
  }
  return values;
}

std::vector<HostValue> ParsePressure(std::string_view text, std::string_view prefix) {
  constexpr std::string_view kTotal = "total=";
  std::vector<HostValue> values;
  for (const std::string_view line : Split(text, '\n')) {
    const std::string_view who = line.substr(0, line.find(' '));
    const size_t total = line.rfind(kTotal);
    if ((who != "some" && who != "full") || total == std::string_view::npos) continue;
    Add(std::string(prefix).append("_").append(who).append("_ns"), SeriesKind::kCounter,
        Trim(line.substr(total + kTotal.size())), kNanosPerMicro, &values);
  }
  return values;
}

HostReadings::HostReadings(const std::string& proc, std::string control_groups)
    : proc_(proc), control_groups_(std::move(control_groups)) {}

std::string_view HostReadings::ReadProcFile(const char* name) {
  const auto [file, is_new] = files_.try_emplace(name);
  if (is_new) file->second = proc_.Open(name);
  // Some of the files have a line per CPU.
  constexpr size_t kFirstSize = 16 << 10, kMaxSize = 1 << 20;
  if (buffer_.empty()) buffer_.resize(kFirstSize);
  std::string_view text = ReadAgain(file->second, buffer_.data(), buffer_.size());
  while (text.size() == buffer_.size() && buffer_.size() < kMaxSize) {
    buffer_.resize(buffer_.size() * 2);
    text = ReadAgain(file->second, buffer_.data(), buffer_.size());
  }
  return text;
}

void HostReadings::Put(const std::vector<HostValue>& values, int64_t epoch_ns, NodeSegment* segment) {
  for (const HostValue& value : values) {
    Named& named = curves_[value.name];
    named.kind = value.kind;
    segment->Put(value.name, value.kind, {}, {epoch_ns, static_cast<double>(value.value)}, &named.curve);
  }
}

void HostReadings::Tick(int64_t epoch_ns, const std::map<std::string, int64_t>& groups, NodeSegment* segment) {
  Put(ParseCpuTimes(ReadProcFile("stat")), epoch_ns, segment);
  Put(ParseHostMemory(ReadProcFile("meminfo")), epoch_ns, segment);
  Put(ParseDisks(ReadProcFile("diskstats")), epoch_ns, segment);
  // /proc/net is the reader's network namespace; that of process 1 is the host's.
  const std::string_view of_host = ReadProcFile("1/net/dev");
  Put(ParseNetwork(of_host.empty() ? ReadProcFile("net/dev") : of_host), epoch_ns, segment);
  for (const char* resource : {"cpu", "memory", "io"}) {
    const std::string name(resource);
    Put(ParsePressure(ReadProcFile(("pressure/" + name).c_str()), "host.pressure_" + name), epoch_ns, segment);
  }
  const int64_t now_ns = MonotonicNanos();
  if (now_ns < next_groups_ns_) return;
  next_groups_ns_ = now_ns + kControlGroupIntervalNs;
  size_t count = 0;
  for (const auto& [path, processes] : groups) {
    if (++count > kMaxControlGroups) break;
    ReadControlGroup(path, epoch_ns, segment);
  }
  segment->SetLoss("control_groups", "more than the limit of 256",
                   static_cast<int64_t>(groups.size() - std::min(groups.size(), kMaxControlGroups)));
}

void HostReadings::ReadControlGroup(const std::string& path, int64_t epoch_ns, NodeSegment* segment) {
  const std::string start = "cgroup." + NamePart(path);
  std::vector<HostValue> values;
  // Reads a file of version 2, or of version 1 below its controller's folder.
  const auto read = [&](const char* controller, const char* file) {
    return ReadFile(control_groups_ + (*controller == '\0' ? "" : "/" + std::string(controller)) + path + "/" + file);
  };
  const auto add_number = [&](const char* controller, const char* file, const char* name, SeriesKind kind) {
    if (const auto text = read(controller, file)) Add(start + name, kind, Trim(*text), 1, &values);
  };
  add_number("", "memory.current", ".memory_bytes", SeriesKind::kGauge);
  add_number("", "memory.max", ".memory_limit_bytes", SeriesKind::kGauge);
  add_number("memory", "memory.usage_in_bytes", ".memory_bytes", SeriesKind::kGauge);
  add_number("cpuacct", "cpuacct.usage", ".cpu_ns", SeriesKind::kCounter);
  for (const char* controller : {"", "cpu"}) {
    constexpr struct {
      std::string_view key;
      const char* name;
      int64_t scale;
    } kKnown[] = {{"usage_usec", ".cpu_ns", kNanosPerMicro},
                  {"throttled_usec", ".throttled_ns", kNanosPerMicro},
                  {"throttled_time", ".throttled_ns", 1},
                  {"nr_throttled", ".throttled_count", 1}};
    const std::string text = read(controller, "cpu.stat").value_or("");
    for (const std::string_view line : Split(text, '\n')) {
      for (const auto& known : kKnown) {
        if (line.substr(0, line.find(' ')) != known.key) continue;
        Add(start + known.name, SeriesKind::kCounter, Trim(line.substr(known.key.size())), known.scale, &values);
      }
    }
  }
  for (const char* resource : {"cpu", "memory", "io"}) {
    const std::string file = std::string(resource) + ".pressure";
    if (const auto text = read("", file.c_str())) {
      const auto pressure = ParsePressure(*text, start + ".pressure_" + resource);
      values.insert(values.end(), pressure.begin(), pressure.end());
    }
  }
  Put(values, epoch_ns, segment);
}

void HostReadings::Finish(NodeSegment* segment) {
  for (auto& [name, named] : curves_) segment->Finish(name, named.kind, {}, &named.curve);
}

std::string HostReadings::Trouble() const {
  if (geteuid() == 0 || proc_.Open(1, "stat").IsOpen()) return {};
  return proc_.Path() +
         " hides the processes of other users (hidepid); run the monitor as root or as a member of the group that may "
         "see them";
}

}  // namespace sparkprof
