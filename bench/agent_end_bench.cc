// SPDX-License-Identifier: Apache-2.0
// How long the agent takes to end after its JVM: agent_end_bench AGENT [ROUNDS]. The protocol allows 3 s.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/agent/testing/agent_process.h"
#include "base/time.h"

namespace sparkprof {
namespace {

struct Case {
  const char* name;
  size_t event_bytes;  // sent as one event before the end
  bool reads;          // whether somebody reads what the agent sends
};
// More than a pipe holds, once compressed: the second agent is ended by its watchdog.
constexpr Case kCases[] = {{"output is read", 400'000, true}, {"nobody reads its output", 400'000, false}};

// Text that does not compress.
std::string Noise(size_t size) {
  std::string noise;
  uint64_t state = 1;
  while (noise.size() < size) noise += static_cast<char>('!' + (state = state * 6364136223846793005 + 1) % 90);
  return noise;
}

bool HasEnded(int64_t pid) {
  const std::string stat = ReadFile(fmt::format("/proc/{}/stat", pid)).value_or(") Z ");
  return stat.find(") Z ") != std::string::npos;
}

double SecondsToEnd(const std::string& binary, const Case& one) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("agent_end_bench-{}", getpid());
  std::filesystem::create_directories(folder);
  const std::string spool = folder / "a.sprof";
  ChildProcess jvm({"sleep", "600"});
  AgentProcess agent(binary);
  agent.Hello({{"protocol", "1"},
               {"pid", std::to_string(jvm.Pid())},
               {"role", "executor"},
               {"application_id", "app-1"},
               {"executor_id", "7"},
               {"bucket_ns", "1000000000"},
               {"spool", spool},
               {"node_dir", folder / "node"},
               {"setting.cpu.interval_ns", "10000000"},
               {"setting.wall.interval_ns", "50000000"},
               {"forward", "1"}});
  agent.Event(Noise(one.event_bytes));
  // The block is written before it is sent.
  struct stat status {};
  while (stat(spool.c_str(), &status) != 0 || static_cast<size_t>(status.st_size) < one.event_bytes / 2)
    poll(nullptr, 0, 5);
  const int64_t begin_ns = MonotonicNanos();
  agent.CloseInput();
  if (one.reads) {
    agent.WaitForEnd();
  } else {
    while (!HasEnded(agent.Pid())) poll(nullptr, 0, 5);
  }
  const double seconds = static_cast<double>(MonotonicNanos() - begin_ns) / 1e9;
  if (!one.reads) agent.WaitForEnd();
  std::filesystem::remove_all(folder);
  return seconds;
}

int Run(const std::string& binary, size_t rounds) {
  for (const Case& one : kCases) {
    std::vector<double> seconds;
    for (size_t round = 0; round < rounds; ++round) seconds.push_back(SecondsToEnd(binary, one));
    std::sort(seconds.begin(), seconds.end());
    fmt::print("{}: median {:.3f} s, longest {:.3f} s of {}\n", one.name, seconds[rounds / 2], seconds.back(), rounds);
  }
  return 0;
}

}  // namespace
}  // namespace sparkprof

int main(int count, char** arguments) {
  if (count < 2) {
    fmt::print(stderr, "usage: agent_end_bench AGENT [ROUNDS]\n");
    return 2;
  }
  return sparkprof::Run(arguments[1], count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 10);
}
