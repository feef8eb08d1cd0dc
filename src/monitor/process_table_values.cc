// SPDX-License-Identifier: Apache-2.0
// The measured values of a process, and how often each is read.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/time.h"
#include "monitor/process_table.h"
#include "spark/open_files.h"

namespace sparkprof {
namespace {

constexpr int64_t kTreeStatusNs = 10 * kNanosPerSecond;
constexpr int64_t kOtherStatusNs = 60 * kNanosPerSecond;
constexpr int64_t kStatusPauseNs = kNanosPerSecond;
constexpr int64_t kStatusRssChange = 1 << 20;
constexpr int64_t kConnectionsNs = 30 * kNanosPerSecond;
constexpr int64_t kTreeMemoryNs = 30 * kNanosPerSecond;
constexpr int64_t kOtherMemoryNs = 60 * kNanosPerSecond;
// Most processes sleep. Idle processes do no I/O; only others can change their values: the peer of a connection, a
// process that shares their memory, the swapping kernel.
constexpr int64_t kIdleNs = 120 * kNanosPerSecond;
constexpr int64_t kIdleMemoryNs = 300 * kNanosPerSecond;
constexpr int64_t kIdleConnectionsNs = 300 * kNanosPerSecond;
// Times between two readings of smaps_rollup, for which the kernel walks page tables. A growing process is read again
// after this multiple of the last reading's time.
constexpr int64_t kMemoryPauseTimes = 500;
constexpr int64_t kMemoryRssChange = 1 << 20;  // bytes of growth
constexpr int64_t kMemoryRssPart = 64;         // or 1/64 of the memory, if larger
// Memory is not read for younger processes: most processes are short-lived.
constexpr int64_t kMemoryAgeNs = kNanosPerSecond;

// -1 = not permitted. Linux 6.2 and later report the number as the folder's size.
int64_t CountFileDescriptors(const ProcFolder& proc, int64_t pid) {
  const std::string path = proc.PathOf(pid, "fd");
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && status.st_size > 0) return status.st_size;
  const auto names = static_cast<int64_t>(ListFolder(path).size());
  return names < 2 ? -1 : names - 2;  // without . and ..
}

}  // namespace

void ProcessTable::Put(Measure measure, int64_t value, int64_t epoch_ns, Tracked* tracked, NodeSegment* segment) {
  const auto i = static_cast<size_t>(measure);
  segment->Put(kMeasureNames[i].name, kMeasureNames[i].kind, tracked->Owner(), {epoch_ns, static_cast<double>(value)},
               &tracked->curves[i]);
}

void ProcessTable::PutValues(int64_t epoch_ns, Tracked* tracked, NodeSegment* segment) {
  static const int64_t page_size = sysconf(_SC_PAGESIZE);
  const ProcessStat& stat = tracked->stat;
  const int64_t children_ns = tracked->ChildrenNanos();
  Put(Measure::kCpu, tracked->CpuNanos(), epoch_ns, tracked, segment);
  Put(Measure::kChildrenCpu, children_ns, epoch_ns, tracked, segment);
  Put(Measure::kUnlistedChildrenCpu, std::max<int64_t>(0, children_ns - tracked->listed_children_ns), epoch_ns, tracked,
      segment);
  if (stat.state == 'Z') return;  // a zombie has no memory
  Put(Measure::kRss, stat.rss_pages * page_size, epoch_ns, tracked, segment);
  Put(Measure::kVirtual, stat.virtual_bytes, epoch_ns, tracked, segment);
  Put(Measure::kThreads, stat.threads, epoch_ns, tracked, segment);
  Put(Measure::kMinorFaults, stat.minor_faults, epoch_ns, tracked, segment);
  Put(Measure::kMajorFaults, stat.major_faults, epoch_ns, tracked, segment);
  PutIo(epoch_ns, tracked, segment);
  PutStatus(epoch_ns, tracked, segment);
  PutConnections(epoch_ns, tracked, segment);
  PutMemory(epoch_ns, tracked, segment);
}

void ProcessTable::PutIo(int64_t epoch_ns, Tracked* tracked, NodeSegment* segment) {
  const int64_t activity = tracked->Activity();
  if (!tracked->io.IsOld(now_ns_, activity, 0, kIdleNs)) return;
  tracked->io = {now_ns_, activity};
  const auto io = ParseProcessIo(ReadProc(*tracked, tracked->io_file, "io"), "io");
  if (!io) return;
  Put(Measure::kRead, io->read_bytes, epoch_ns, tracked, segment);
  Put(Measure::kWritten, io->write_bytes, epoch_ns, tracked, segment);
}

void ProcessTable::PutStatus(int64_t epoch_ns, Tracked* tracked, NodeSegment* segment) {
  static const int64_t page_size = sysconf(_SC_PAGESIZE);
  const int64_t rss_bytes = tracked->stat.rss_pages * page_size;
  const int64_t activity = tracked->Activity();
  const int64_t interval_ns = tracked->is_in_tree ? kTreeStatusNs : kOtherStatusNs;
  // No other file has the peak between two ticks.
  const bool may_have_peak = tracked->is_in_tree && now_ns_ - tracked->status.at_ns >= kStatusPauseNs &&
                             std::abs(rss_bytes - tracked->status_rss_bytes) > kStatusRssChange;
  if (!may_have_peak && !tracked->status.IsOld(now_ns_, activity, interval_ns, kIdleNs)) return;
  tracked->status = {now_ns_, activity};
  tracked->status_rss_bytes = rss_bytes;
  if (const int64_t count = CountFileDescriptors(proc_, tracked->process.pid); count >= 0) {
    Put(Measure::kFileDescriptors, count, epoch_ns, tracked, segment);
  }
  const auto status = ParseProcessStatus(ReadProc(*tracked, {}, "status"), "status");
  if (!status) return;
  Put(Measure::kRssPeak, status->peak_rss_bytes, epoch_ns, tracked, segment);
  Put(Measure::kSwap, status->swap_bytes, epoch_ns, tracked, segment);
  Put(Measure::kVoluntarySwitches, status->voluntary_switches, epoch_ns, tracked, segment);
  Put(Measure::kInvoluntarySwitches, status->involuntary_switches, epoch_ns, tracked, segment);
}

void ProcessTable::PutConnections(int64_t epoch_ns, Tracked* tracked, NodeSegment* segment) {
  if (!tracked->is_in_tree || tracked->first_ns == now_ns_) return;
  const int64_t activity = tracked->Activity();
  if (!tracked->connections.IsOld(now_ns_, activity, kConnectionsNs, kIdleConnectionsNs)) return;
  tracked->connections = {now_ns_, activity};
  const std::string folder = proc_.Path() + "/" + std::to_string(tracked->process.pid);
  const std::set<int64_t> own = LookAtOpenFiles(folder).sockets;
  if (own.empty()) return;
  char name[64];
  const ssize_t size = readlink((folder + "/ns/net").c_str(), name, sizeof name);
  if (size <= 0) return;
  const auto [entry, is_new] = established_.try_emplace(std::string(name, static_cast<size_t>(size)));
  if (is_new) entry->second = EstablishedSockets(folder);
  const auto& sockets = entry->second;
  Put(Measure::kConnections,
      std::count_if(own.begin(), own.end(), [&](int64_t socket) { return sockets.contains(socket); }), epoch_ns,
      tracked, segment);
}

void ProcessTable::PutMemory(int64_t epoch_ns, Tracked* tracked, NodeSegment* segment) {
  // Reserved for first and regular readings of other processes while one grows.
  constexpr int64_t kMemoryReserveNs = kMaxMemoryCreditNs / 2;
  static const int64_t page_size = sysconf(_SC_PAGESIZE);
  const int64_t rss_bytes = tracked->stat.rss_pages * page_size;
  const bool has_grown =
      rss_bytes - tracked->memory_rss_bytes > std::max(kMemoryRssChange, tracked->memory_rss_bytes / kMemoryRssPart);
  const int64_t activity = tracked->Activity();
  const int64_t interval_ns = tracked->is_in_tree ? kTreeMemoryNs : kOtherMemoryNs;
  int64_t& credit_ns = tracked->kind.IsOfSpark() ? spark_credit_ns_ : other_credit_ns_;
  const bool is_due = tracked->memory.IsOld(now_ns_, activity, interval_ns, kIdleMemoryNs);
  const bool may_be_due = has_grown && tracked->is_in_tree && credit_ns > kMemoryReserveNs &&
                          now_ns_ - tracked->memory.at_ns >= kMemoryPauseTimes * tracked->memory_cost_ns;
  const bool is_new = tracked->first_ns == now_ns_ && epoch_ns - tracked->process.started_ns < kMemoryAgeNs;
  if ((!is_due && !may_be_due) || is_new || rss_bytes == 0 || credit_ns <= 0) return;
  tracked->memory = {now_ns_, activity};
  tracked->memory_rss_bytes = rss_bytes;
  const auto answer = ReadLocked(tracked, {"smaps_rollup"});
  if (!answer) return;
  tracked->memory_cost_ns = answer->cpu_ns;
  credit_ns -= answer->cpu_ns;
  const auto memory = ParseMemoryShares(answer->texts[0], "smaps_rollup");
  if (!memory) return;
  Put(Measure::kProportional, memory->proportional, epoch_ns, tracked, segment);
  Put(Measure::kPrivate, memory->own, epoch_ns, tracked, segment);
  Put(Measure::kShared, memory->shared, epoch_ns, tracked, segment);
}

}  // namespace sparkprof
