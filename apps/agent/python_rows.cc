// SPDX-License-Identifier: Apache-2.0
#include "python_rows.h"

namespace sparkprof {
namespace {

constexpr double kRunningShare = 0.1;  // share of one CPU; not more, because the machine may be busy
constexpr double kRunningShareOfReaders = 0.5;

}  // namespace

ThreadState StateOfPython(int64_t cpu_ns, int64_t wall_ns, bool holds_gil, PythonPhase phase) {
  if (holds_gil) return ThreadState::kRunning;
  if (wall_ns == 0) return cpu_ns > 0 ? ThreadState::kRunning : ThreadState::kSleeping;
  const double share = static_cast<double>(cpu_ns) / static_cast<double>(wall_ns);
  const bool reads = phase == PythonPhase::kDeserialization;
  return share >= (reads ? kRunningShareOfReaders : kRunningShare) ? ThreadState::kRunning : ThreadState::kSleeping;
}

void AddPythonRows(SegmentSample row, int64_t cpu_ns, int64_t wall_ns, SampleTable<SegmentSample>* samples) {
  row.count = 1;
  if (wall_ns > 0) {
    row.event = Event::kWall;
    row.weight = wall_ns;
    samples->Add(row);
  }
  if (cpu_ns > 0) {
    row.event = Event::kCpu;
    row.state = ThreadState::kRunning;
    row.weight = cpu_ns;
    samples->Add(row);
  }
}

std::string PythonThreadName(int64_t pid, int64_t tid) {
  const std::string process = "Python " + std::to_string(pid);
  return tid == pid ? process : process + " thread";
}

}  // namespace sparkprof
