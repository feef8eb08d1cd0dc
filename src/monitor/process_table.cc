// SPDX-License-Identifier: Apache-2.0
#include "monitor/process_table.h"

#include <pwd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/text/text.h"
#include "base/time.h"
#include "capture/process_tree.h"
#include "spark/open_files.h"

namespace sparkprof {
namespace {

// A process this young may not have exec'd its program yet.
constexpr int64_t kYoungNs = 3 * kNanosPerSecond;
constexpr int64_t kDescribePauseNs = kNanosPerSecond;
constexpr int64_t kSeekIntervalNs = 10 * kNanosPerSecond;
// Timeout for a reading that may block in the kernel, and pause before the next one of a process that timed out. A
// blocked reading delays one tick.
constexpr int64_t kLockedLimitNs = kNanosPerSecond;
constexpr int64_t kLockedPauseNs = 600 * kNanosPerSecond;
// Memory readings may take one part in this many of the time.
constexpr int64_t kSparkMemoryPart = 500;
constexpr int64_t kOtherMemoryPart = 2000;

int64_t StartNanos(int64_t start_ticks, int64_t epoch_ns) {
  timespec up{};
  clock_gettime(CLOCK_BOOTTIME, &up);
  return epoch_ns - (up.tv_sec * kNanosPerSecond + up.tv_nsec) + NanosOfTicks(start_ticks);
}

int64_t PortOfUrl(const std::string& url) {
  return ParseInteger(std::string_view(url).substr(url.rfind(':') + 1)).value_or(0);
}

bool Set(std::string_view value, std::string* field) {
  if (*field == value) return false;
  *field = value;
  return true;
}

// Path of the cgroup for memory, or of version 2: "4:memory:/a", "0::/system.slice/x.service".
std::string ControlGroupOf(std::string_view text) {
  std::string_view best;
  for (const std::string_view line : Split(text, '\n')) {
    const size_t path = line.find(":/");
    if (path == std::string_view::npos || path + 2 >= line.size()) continue;
    const bool is_of_memory = line.substr(0, path).ends_with(":memory");
    if (best.empty() || is_of_memory) best = line.substr(path + 1);
    if (is_of_memory) break;
  }
  return TextForPeople(best);
}

}  // namespace

int64_t ProcessTable::Tracked::CpuNanos() const { return NanosOfTicks(stat.user_ticks + stat.system_ticks); }

int64_t ProcessTable::Tracked::ChildrenNanos() const {
  return NanosOfTicks(stat.children_user_ticks + stat.children_system_ticks);
}

int64_t ProcessTable::Tracked::Activity() const {
  return stat.user_ticks + stat.system_ticks + stat.minor_faults + stat.major_faults;
}

ProcessTable::ProcessTable(ProcFolder proc, MonitorRoots roots, bool with_others)
    : proc_(std::move(proc)),
      roots_(std::move(roots)),
      with_others_(with_others),
      tracks_all_(with_others || roots_.node_managers || roots_.workers || roots_.pods || roots_.spark),
      new_processes_(proc_),
      spark_credit_ns_(kMaxMemoryCreditNs),
      other_credit_ns_(kMaxMemoryCreditNs) {}

void ProcessTable::Tick(int64_t epoch_ns, bool others, NodeSegment* segment) {
  now_ns_ = MonotonicNanos();
  const int64_t passed_ns = before_ns_ == 0 ? 0 : now_ns_ - before_ns_;
  spark_credit_ns_ = std::min(spark_credit_ns_ + passed_ns / kSparkMemoryPart, kMaxMemoryCreditNs);
  other_credit_ns_ = std::min(other_credit_ns_ + passed_ns / kOtherMemoryPart, kMaxMemoryCreditNs);
  before_ns_ = now_ns_;
  FindNew(epoch_ns);
  // Parents are read before children: the usage of a child that ends meanwhile is then not yet in its parent's time.
  std::vector<Tracked*> ended;
  for (const auto& tracked : processes_) {
    const bool is_due = others || tracked->is_in_tree || now_ns_ - tracked->first_ns < kYoungNs;
    tracked->has_values = is_due && Read(tracked.get());
    if (is_due && !tracked->has_values) ended.push_back(tracked.get());
  }
  if (kinds_changed_) Resolve();
  if (!ended.empty()) RemoveEnded(ended, epoch_ns, segment);
  established_.clear();
  for (const auto& tracked : processes_) {
    if (!IsWritten(*tracked)) continue;
    if (std::exchange(tracked->is_changed, false)) Write(*tracked, epoch_ns, segment);
    if (tracked->has_values) PutValues(epoch_ns, tracked.get(), segment);
    segment->TakeIfFull();
  }
}

void ProcessTable::FindNew(int64_t epoch_ns) {
  std::vector<std::pair<int64_t, int64_t>> fresh;  // start ticks and ID: parents before children
  for (const int64_t id : new_processes_.Find(proc_)) {
    if (by_pid_.contains(id)) continue;
    const FileDescriptor file = proc_.Open(id, "stat");
    const auto stat = ParseProcessStat(ReadAgain(file, buffer_.data(), buffer_.size()), "stat");
    if (stat && stat->state != 'Z') fresh.emplace_back(stat->start_ticks, id);
  }
  std::sort(fresh.begin(), fresh.end());
  for (const auto& [start_ticks, id] : fresh) Add(id, epoch_ns);
}

void ProcessTable::Add(int64_t pid, int64_t epoch_ns) {
  auto tracked = std::make_unique<Tracked>();
  tracked->process.pid = pid;
  tracked->first_ns = now_ns_;
  tracked->stat_file = proc_.Open(pid, "stat");
  const auto stat = ParseProcessStat(ReadAgain(tracked->stat_file, buffer_.data(), buffer_.size()), "stat");
  if (!stat) return;
  tracked->process.start_ticks = stat->start_ticks;
  tracked->process.parent_pid = stat->parent_pid;
  tracked->parent_pid = stat->parent_pid;
  const Tracked* const parent = ParentOf(*tracked);
  const bool is_of_tree = (parent != nullptr && parent->is_in_tree) || IsRoot(*tracked);
  if (!tracks_all_ && !is_of_tree) return;
  tracked->is_in_tree = is_of_tree;
  tracked->process.first_seen_ns = epoch_ns;
  tracked->process.started_ns = StartNanos(stat->start_ticks, epoch_ns);
  if (open_files_ + 2 <= kMaxOpenFiles) {
    tracked->io_file = proc_.Open(pid, "io");
    open_files_ += 2;
  } else {
    tracked->stat_file.Close();
  }
  by_pid_[pid] = tracked.get();
  processes_.push_back(std::move(tracked));
  kinds_changed_ = true;
}

std::string_view ProcessTable::ReadProc(const Tracked& tracked, const FileDescriptor& file, const char* name) {
  if (file.IsOpen()) return ReadAgain(file, buffer_.data(), buffer_.size());
  return ReadAgain(proc_.Open(tracked.process.pid, name), buffer_.data(), buffer_.size());
}

bool ProcessTable::Read(Tracked* tracked) {
  const std::string_view text = ReadProc(*tracked, tracked->stat_file, "stat");
  if (text.empty() || text != tracked->stat_text) {
    auto stat = ParseProcessStat(text, "stat");
    if (!stat || stat->start_ticks != tracked->process.start_ticks) return false;
    tracked->stat = std::move(*stat);
    tracked->stat_text = text;
  }
  const bool is_renamed = tracked->process.name != tracked->stat.command;
  if (tracked->parent_pid != tracked->stat.parent_pid) tracked->parent_pid = tracked->stat.parent_pid;
  tracked->process.state.assign(1, tracked->stat.state);
  if (tracked->stat.state == 'Z') return true;
  const bool is_due = now_ns_ >= tracked->next_describe_ns;
  const bool is_young = now_ns_ - tracked->first_ns < 2 * kYoungNs;
  if (is_due && (is_renamed || is_young || !tracked->is_described)) Describe(tracked);
  if (tracked->kind.is_java && now_ns_ >= tracked->next_seek_ns && tracked->process.application_id.empty()) {
    SeekSpark(tracked);
  }
  return true;
}

std::optional<TimedReader::Answer> ProcessTable::ReadLocked(Tracked* tracked,
                                                            std::initializer_list<std::string_view> names) {
  if (now_ns_ < tracked->next_locked_ns) return std::nullopt;
  std::vector<std::string> paths;
  for (const std::string_view name : names) paths.push_back(proc_.PathOf(tracked->process.pid, name));
  auto answer = timed_reader_.Read(std::move(paths), kLockedLimitNs);
  if (answer) return answer;
  ++lost_readings_;
  tracked->next_locked_ns = now_ns_ + kLockedPauseNs;
  tracked->next_describe_ns = tracked->next_locked_ns;
  return std::nullopt;
}

void ProcessTable::Describe(Tracked* tracked) {
  const bool is_first = tracked->next_describe_ns == 0;
  tracked->next_describe_ns = is_first ? now_ns_ + 1 : now_ns_ + std::max(kDescribePauseNs, kYoungNs / 2);
  const int64_t pid = tracked->process.pid;
  Process& process = tracked->process;
  bool changed = Set(tracked->stat.command, &process.name);
  const auto locked = ReadLocked(tracked, {"cmdline", "environ"});
  tracked->is_described = locked.has_value();
  if (!locked && !process.command.empty()) return;
  const std::string cmdline = locked ? locked->texts[0] : "";
  changed |=
      Set(cmdline.empty() ? CommandForPeople("[" + process.name + "]") : CommandForPeople(cmdline), &process.command);
  const std::string cgroup = proc_.Read(pid, "cgroup").value_or("");
  changed |= Set(ControlGroupOf(cgroup), &process.control_group);
  if (const auto status = ParseProcessStatus(proc_.Read(pid, "status").value_or(""), "status")) {
    changed |= Set(UserName(status->user_id), &process.user);
  }
  const Tracked* const parent = ParentOf(*tracked);
  ProcessKind kind = FindProcessKind(
      {cmdline, locked ? locked->texts[1] : "", cgroup, parent == nullptr ? std::string_view() : parent->kind.type});
  tracked->is_changed |= changed;
  if (!is_first && kind == tracked->kind) return;
  tracked->kind = std::move(kind);
  kinds_changed_ = true;
}

const std::string& ProcessTable::UserName(int64_t user_id) {
  const auto [place, is_new] = users_.try_emplace(user_id);
  if (!is_new) return place->second;
  passwd entry{};
  passwd* found = nullptr;
  char buffer[4096];
  const bool has_name = getpwuid_r(static_cast<uid_t>(user_id), &entry, buffer, sizeof buffer, &found) == 0;
  place->second = has_name && found != nullptr ? entry.pw_name : std::to_string(user_id);
  return place->second;
}

bool ProcessTable::IsRoot(const Tracked& tracked) const {
  const ProcessKind& kind = tracked.kind;
  return std::find(roots_.pids.begin(), roots_.pids.end(), tracked.process.pid) != roots_.pids.end() ||
         (roots_.node_managers && kind.is_node_manager) || (roots_.workers && kind.is_worker) ||
         (roots_.pods && tracked.process.control_group.find("kubepods") != std::string::npos) ||
         (roots_.spark && kind.IsOfSpark());
}

ProcessTable::Tracked* ProcessTable::ParentOf(const Tracked& tracked) const {
  const auto parent = by_pid_.find(tracked.parent_pid);
  return parent == by_pid_.end() ? nullptr : parent->second;
}

void ProcessTable::Resolve() {
  kinds_changed_ = false;
  std::map<std::string, std::string> executors;  // by container
  for (const auto& tracked : processes_) {
    const ProcessKind& kind = tracked->kind;
    if (kind.is_java && !kind.container_id.empty() && !kind.executor_id.empty()) {
      executors[kind.container_id] = kind.executor_id;
    }
  }
  for (const auto& tracked : processes_) ResolveOne(executors, tracked.get());
}

void ProcessTable::ResolveOne(const std::map<std::string, std::string>& executors, Tracked* tracked) {
  Process& process = tracked->process;
  const ProcessKind& kind = tracked->kind;
  Tracked* const parent = ParentOf(*tracked);
  const Process none;
  const Process& above = parent == nullptr ? none : parent->process;
  tracked->is_in_tree = tracked->is_in_tree || (parent != nullptr && parent->is_in_tree) || IsRoot(*tracked);
  const bool is_program = process.role == "python_driver" && kind.type == "other";  // according to its JVM
  bool changed = !is_program && Set(kind.type, &process.role);
  const auto choose = [&changed](const std::string& own, const std::string& inherited, std::string* field) {
    if (!own.empty()) changed |= Set(own, field);
    if (own.empty() && field->empty()) changed |= Set(inherited, field);
  };
  choose(kind.container_id, above.container_id, &process.container_id);
  choose(kind.application_id, above.application_id, &process.application_id);
  const auto of_container = executors.find(process.container_id);
  choose(kind.executor_id, of_container != executors.end() ? of_container->second : above.executor_id,
         &process.executor_id);
  tracked->is_changed |= changed;
  if (kind.type != "jvm_driver" || !kind.has_gateway || parent == nullptr) return;
  // The Python program that started this JVM.
  bool parent_changed = Set("python_driver", &parent->process.role);
  parent_changed |= Set("driver", &parent->process.executor_id);
  parent_changed |= Set(process.application_id, &parent->process.application_id);
  parent->is_changed |= parent_changed;
  parent->is_in_tree |= tracked->is_in_tree;
}

void ProcessTable::SeekSpark(Tracked* tracked) {
  tracked->next_seek_ns = now_ns_ + kSeekIntervalNs;
  const bool is_driver = tracked->kind.type == "jvm_driver";
  if (!is_driver && tracked->kind.type != "other") return;
  const std::string folder = proc_.Path() + "/" + std::to_string(tracked->process.pid);
  const OpenFiles files = LookAtOpenFiles(folder);
  ProcessKind kind = tracked->kind;
  if (!is_driver && !kind.is_worker && !files.spark_version.empty()) {
    kind.type = "jvm_driver";
    kind.executor_id = "driver";
  }
  if (kind.type == "jvm_driver") kind.application_id = files.application_id;
  for (const auto& other : processes_) {
    const ProcessKind& executor = other->kind;
    if (kind.type != "jvm_driver" || !kind.application_id.empty() || executor.driver_url.empty()) continue;
    if (ListeningPorts(folder, files.sockets).contains(PortOfUrl(executor.driver_url))) {
      kind.application_id = executor.application_id;
    }
  }
  if (kind == tracked->kind) return;
  tracked->kind = std::move(kind);
  kinds_changed_ = true;
}

void ProcessTable::RemoveEnded(const std::vector<Tracked*>& ended, int64_t epoch_ns, NodeSegment* segment) {
  // Children before parents: of a parent that ended with its children, the grandparent gets the time of both.
  for (auto tracked = ended.rbegin(); tracked != ended.rend(); ++tracked) {
    if (Tracked* const parent = ParentOf(**tracked)) {
      parent->listed_children_ns +=
          (*tracked)->CpuNanos() + std::max((*tracked)->ChildrenNanos(), (*tracked)->listed_children_ns);
    }
  }
  for (Tracked* tracked : ended) {
    if (tracked->stat_file.IsOpen()) open_files_ -= 2;
    std::erase(roots_.pids, tracked->process.pid);
    by_pid_.erase(tracked->process.pid);
    new_processes_.Forget(tracked->process.pid);
    if (!IsWritten(*tracked) || tracked->process.role.empty()) continue;
    if (tracked->is_in_tree) ++ended_;
    for (size_t i = 0; i < kMeasures; ++i) {
      segment->Finish(kMeasureNames[i].name, kMeasureNames[i].kind, tracked->Owner(), &tracked->curves[i]);
    }
    tracked->process.ended = true;
    Write(*tracked, epoch_ns, segment);
  }
  const std::set<const Tracked*> gone(ended.begin(), ended.end());
  std::erase_if(processes_, [&](const auto& tracked) { return gone.contains(tracked.get()); });
}

void ProcessTable::Write(const Tracked& tracked, int64_t epoch_ns, NodeSegment* segment) const {
  Process process = tracked.process;
  process.last_seen_ns = epoch_ns;
  segment->AddProcess(process);
}

void ProcessTable::Finish(int64_t epoch_ns, NodeSegment* segment) {
  for (const auto& tracked : processes_) {
    if (!IsWritten(*tracked)) continue;
    for (size_t i = 0; i < kMeasures; ++i) {
      segment->Finish(kMeasureNames[i].name, kMeasureNames[i].kind, tracked->Owner(), &tracked->curves[i]);
    }
    Write(*tracked, epoch_ns, segment);
    segment->TakeIfFull();
  }
}

void ProcessTable::Restart() {
  for (const auto& tracked : processes_) {
    tracked->is_changed = true;
    tracked->curves = {};
  }
}

size_t ProcessTable::TreeSize() const {
  return static_cast<size_t>(std::count_if(processes_.begin(), processes_.end(), [](const auto& tracked) {
    return tracked->is_in_tree && tracked->process.state != "Z";
  }));
}

int64_t ProcessTable::Ended() const {
  return ended_ + std::count_if(processes_.begin(), processes_.end(), [](const auto& tracked) {
           return tracked->is_in_tree && tracked->process.state == "Z";
         });
}

std::optional<double> ProcessTable::Now::Value(Measure measure) const {
  const Curve& curve = curves[static_cast<size_t>(measure)];
  return curve.generation == 0 ? std::nullopt : std::optional(curve.value);
}

void ProcessTable::ForEachOfTree(const std::function<void(const Now& now)>& visit) const {
  for (const auto& tracked : processes_) {
    if (tracked->is_in_tree && tracked->process.state != "Z") visit({tracked->process, tracked->curves});
  }
}

std::map<std::string, int64_t> ProcessTable::ControlGroups() const {
  std::map<std::string, int64_t> groups;
  for (const auto& tracked : processes_) {
    if (tracked->is_in_tree && !tracked->process.control_group.empty()) ++groups[tracked->process.control_group];
  }
  return groups;
}

}  // namespace sparkprof
