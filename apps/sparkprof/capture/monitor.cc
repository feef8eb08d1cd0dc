// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/io/file.h"
#include "base/system.h"
#include "base/text/quantity.h"
#include "base/text/text.h"
#include "base/time.h"
#include "base/version.h"
#include "capture/monitor_upload.h"
#include "inputs/server_options.h"
#include "monitor/node_monitor.h"
#include "monitor/recording_file.h"
#include "verb.h"

namespace sparkprof {
namespace {

constexpr int64_t kShortestIntervalNs = 10 * kNanosPerMilli;

struct MonitorOptions {
  std::string folder;
  CollectorOptions server;
  std::string spool;
  std::string spool_size = "1g";
  std::vector<std::string> roots;
  std::string interval = "1s";
  std::string others;
  std::string duration;
  std::string host;  // empty = this machine's name
  std::string proc = "/proc";
  std::string control_groups = "/sys/fs/cgroup";
};

Result<int64_t> ParseInterval(const char* option, const std::string& text) {
  const Result<int64_t> nanos = ParseDuration(text);
  if (!nanos) return Fail(Refusal(option, text, nanos.error()));
  return *nanos;
}

Result<MonitorRoots> ParseRoots(const MonitorOptions& options) {
  MonitorRoots roots;
  roots.spark = roots.node_managers = roots.workers = roots.pods = options.roots.empty();
  for (const std::string& root : options.roots) {
    const std::optional<int64_t> pid = ParseInteger(root);
    if (root == "nodemanager") {
      roots.node_managers = true;
    } else if (root == "worker") {
      roots.workers = true;
    } else if (root == "kubelet") {
      roots.pods = true;
    } else if (pid && *pid > 0) {
      roots.pids.push_back(*pid);
    } else {
      return Fail(fmt::format("--root: unknown root \"{}\"; use nodemanager, worker, kubelet or a process ID", root));
    }
  }
  return roots;
}

bool HasOnlyPids(const MonitorRoots& roots) {
  return !roots.pids.empty() && !roots.node_managers && !roots.workers && !roots.pods;
}

bool IsOfHostName(unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_'; }

Result<NodeMonitorOptions> ParseOptions(const MonitorOptions& options) {
  NodeMonitorOptions parsed;
  parsed.proc = options.proc;
  parsed.control_groups = options.control_groups;
  parsed.host = options.host.empty() ? HostName() : options.host;
  if (!std::all_of(parsed.host.begin(), parsed.host.end(), IsOfHostName)) {
    return Fail(fmt::format("--host: \"{}\" is not a host name", ToOneLine(parsed.host)));
  }
  parsed.version = Version();
  Result<MonitorRoots> roots = ParseRoots(options);
  if (!roots) return tl::unexpected(roots.error());
  parsed.roots = std::move(*roots);
  const Result<int64_t> interval = ParseInterval("--interval", options.interval);
  if (!interval) return tl::unexpected(interval.error());
  if (*interval < kShortestIntervalNs) return Fail("--interval: must be at least 10ms");
  parsed.interval_ns = *interval;
  // A user who names processes wants only these.
  const std::string others = !options.others.empty() ? options.others : HasOnlyPids(parsed.roots) ? "0s" : "10s";
  const Result<int64_t> others_ns = ParseInterval("--others", others);
  if (!others_ns) return tl::unexpected(others_ns.error());
  parsed.others_ns = *others_ns == 0 ? 0 : std::max(*others_ns, parsed.interval_ns);
  for (const int64_t pid : parsed.roots.pids) {
    const std::string path = fmt::format("{}/{}/stat", options.proc, pid);
    if (!ReadFile(path)) return Fail(fmt::format("--root: no process {} on this host", pid));
  }
  return parsed;
}

// Returns "/data/nodes" for "file:///data/nodes".
Result<std::string> FolderOfLocation(const std::string& location) {
  if (location.starts_with("file:")) {
    const size_t path = location.find_first_not_of('/', 5);
    return path == std::string::npos ? "/" : "/" + location.substr(path);
  }
  if (location.find("://") == std::string::npos) return location;
  return Fail(fmt::format(
      "--dir: cannot write to {}; use a local folder, or --server URL of a collector that stores recordings there",
      location));
}

// Two files per process stay open.
void AllowManyFiles() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// Writes the monitor's blocks to files in a folder: one per recording, or one per few MB if they are uploaded.
class RecordingFolder {
 public:
  RecordingFolder(std::string folder, int64_t max_file_bytes)
      : folder_(std::move(folder)), max_file_bytes_(max_file_bytes) {}

  void Append(const std::string& recording, std::string_view block) {
    const bool is_full = file_ && max_file_bytes_ > 0 && file_->Size() >= max_file_bytes_;
    if (!file_ || recording != recording_ || is_full) {
      Result<RecordingFile> created = RecordingFile::Create(folder_, fmt::format("{}-{}", recording, getpid()));
      if (!created) return Drop(block, created.error().message);
      file_ = std::move(*created);
      recording_ = recording;
    }
    if (const Result<void> written = file_->Append(block); !written) Drop(block, written.error().message);
  }

  std::string CurrentFile() const { return file_ ? file_->Path() : ""; }
  int64_t DroppedBytes() const { return dropped_bytes_; }

 private:
  void Drop(std::string_view block, const std::string& problem) {
    if (dropped_bytes_ == 0) Complain(problem);
    dropped_bytes_ += static_cast<int64_t>(block.size());
  }

  const std::string folder_;
  const int64_t max_file_bytes_;
  std::string recording_;
  std::optional<RecordingFile> file_;
  int64_t dropped_bytes_ = 0;
};

// Ticks at each interval until a signal, the end of the duration, or the end of all root processes.
class MonitorLoop {
 public:
  MonitorLoop(const NodeMonitorOptions& options, int64_t duration_ns)
      : interval_ns_(options.interval_ns), duration_ns_(duration_ns), ends_with_roots_(HasOnlyPids(options.roots)) {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGTERM);
    sigaddset(&signals_, SIGINT);
    // Hangup of the connection that started it; nohup ignores it.
    struct sigaction hangup {};
    sigaction(SIGHUP, nullptr, &hangup);
    if (hangup.sa_handler != SIG_IGN) sigaddset(&signals_, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    signal(SIGPIPE, SIG_IGN);
  }

  template <typename OnTick>
  void Run(NodeMonitor* monitor, const OnTick& on_tick) {
    const int64_t begin_ns = MonotonicNanos();
    int64_t next_ns = begin_ns;
    for (;;) {
      monitor->Tick();
      on_tick();
      if (ends_with_roots_ && monitor->HasEnded()) break;
      const int64_t now_ns = MonotonicNanos();
      if (duration_ns_ > 0 && now_ns - begin_ns >= duration_ns_) break;
      // Ticks missed while the machine was suspended are not made up.
      next_ns = std::max(next_ns + interval_ns_, now_ns);
      const int64_t end_ns = duration_ns_ > 0 ? begin_ns + duration_ns_ : next_ns;
      const int64_t wait_ns = std::max<int64_t>(0, std::min(next_ns, end_ns) - now_ns);
      const timespec wait{wait_ns / kNanosPerSecond, wait_ns % kNanosPerSecond};
      if (sigtimedwait(&signals_, nullptr, &wait) > 0) break;
    }
    monitor->Tick();  // records usage since the last tick
    on_tick();
    monitor->Finish();
  }

 private:
  const int64_t interval_ns_;
  const int64_t duration_ns_;
  const bool ends_with_roots_;
  sigset_t signals_;
};

int RunMonitor(const MonitorOptions& options, const CLI::App& command) {
  if (options.folder.empty() == options.server.server.empty()) {
    return Misuse(command, "use either --dir DIR or --server URL");
  }
  const Result<NodeMonitorOptions> parsed = ParseOptions(options);
  if (!parsed) return Misuse(command, parsed.error().message);
  const Result<int64_t> duration = options.duration.empty() ? 0 : ParseInterval("--duration", options.duration);
  if (!duration) return Misuse(command, duration.error().message);
  const bool is_sent = !options.server.server.empty();
  const Result<std::string> folder = FolderOfLocation(is_sent ? options.spool : options.folder);
  if (!folder) return Misuse(command, folder.error().message);
  const Result<MonitorLock> lock = MonitorLock::Take(*folder, parsed->host);
  if (!lock) return Complain(lock.error().message);
  AllowManyFiles();
  MonitorLoop loop(*parsed, *duration);
  std::unique_ptr<MonitorUpload> upload;
  if (is_sent) {
    Result<std::unique_ptr<MonitorUpload>> created = MonitorUpload::Create(options.server, *folder, options.spool_size);
    if (!created) return Misuse(command, created.error().message);
    upload = std::move(*created);
  }
  RecordingFolder recordings(*folder, is_sent ? MonitorUpload::kFileBytes : 0);
  NodeMonitor monitor(*parsed, [&](const std::string& recording, std::string_view block) {
    recordings.Append(recording, block);
    if (upload) upload->Wake(recordings.CurrentFile());
  });
  loop.Run(&monitor, [&] {
    monitor.SetLoss("spool_bytes", "could not be written", recordings.DroppedBytes());
    if (upload) monitor.SetLoss("spool_bytes", "the spool was full", upload->DroppedBytes());
  });
  if (upload) upload->Finish();
  const int64_t processes = monitor.Living() + monitor.Ended();
  Complain(fmt::format("recorded {} process{} of the tree in {}", processes, processes == 1 ? "" : "es", *folder));
  return kExitSuccess;
}

}  // namespace

std::function<int()> DefineMonitor(CLI::App& command) {
  const auto options = std::make_shared<MonitorOptions>();
  AddOption(command, "--dir LOCATION", &options->folder, "Folder that receives the recordings");
  options->server.AddTo(command);
  command.get_option("--server")->required(false);
  AddOption(command, "--spool DIR", &options->spool, "Folder for data that the collector has not received yet")
      ->default_str("/var/tmp/sparkprof-monitor");
  options->spool = "/var/tmp/sparkprof-monitor";
  AddOption(command, "--spool-size SIZE", &options->spool_size, "Maximum size of the spool; the oldest data is dropped")
      ->capture_default_str();
  AddOption(command, "--root ROOT", &options->roots,
            "Tree to read at each interval: nodemanager, worker, kubelet or a process ID; may be repeated "
            "(default: all of Spark)")
      ->allow_extra_args(false);
  AddOption(command, "--interval TIME", &options->interval, "Sampling interval; of the tree and the host")
      ->capture_default_str();
  AddOption(command, "--others TIME", &options->others,
            "Interval for all other processes; 0s = omit them (default: 10s, or 0s if all roots are process IDs)");
  AddOption(command, "--duration TIME", &options->duration, "Stop after this time");
  AddOption(command, "--host NAME", &options->host, "Name of this host in the recording (default: its own)");
  AddOption(command, "--proc DIR", &options->proc, "Where the host's /proc is mounted")->capture_default_str();
  AddOption(command, "--cgroup DIR", &options->control_groups, "Where the host's control groups are mounted")
      ->capture_default_str();
  command.footer(
      "Records the processes of this host with their Spark application and executor, and the resource usage of the "
      "host.\n"
      "Exits on SIGTERM, after --duration, or after all roots that are process IDs. Run it as root to read the I/O "
      "and\n"
      "memory of other users' processes.\n"
      "Examples:\n"
      "  sparkprof monitor --server http://collector:8320\n"
      "  sparkprof monitor --dir nodes --root nodemanager --others 30s\n"
      "  sparkprof monitor --dir nodes --root 4711 --interval 200ms --duration 5s");
  return [options, &command] { return RunMonitor(*options, command); };
}

}  // namespace sparkprof
