// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>

#include "apps/sparkprof/report_files.h"
#include "apps/sparkprof/run_diagnosis.h"
#include "apps/sparkprof/run_output.h"
#include "apps/sparkprof/run_plugin_jar.h"
#include "apps/sparkprof/run_process.h"
#include "apps/sparkprof/submit_command.h"
#include "apps/sparkprof/verb.h"
#include "base/file.h"
#include "base/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

// Agents end 3 s after their JVM at the latest.
constexpr int kWaitForAgentsMillis = 4000;
constexpr char kDirKey[] = "spark.sparkprof.dir";
constexpr char kNodeDirKey[] = "spark.sparkprof.nodeDir";

struct RunOptions {
  std::string output;
  std::string events, cpu_interval, wall_interval, alloc_interval, lock_threshold, bucket;
  std::string dir;
  std::string plugin_jar;
  bool no_report = false;
};

// Where the agents write, and where this run's pieces are found afterwards.
struct RecordingPlace {
  std::string uri;               // as Spark gets it
  std::string folder;            // local folder; empty when it is elsewhere
  std::string node_folder;       // where agents write when `folder` is deleted
  bool own_node_folder = false;  // made for this run alone
  std::set<std::string> before;  // recordings that were there already
  FileDescriptor opened;         // `folder`, if it was there before the job
};

void Say(const std::string& text) { fmt::print(stderr, "sparkprof: {}\n", text); }

std::string CheckEvents(const std::string& events) {
  for (const std::string_view event : Split(events, ',')) {
    const std::string_view name = Trim(event);
    if (name != "cpu" && name != "wall" && name != "alloc" && name != "lock") {
      return fmt::format("\"{}\" is not one of cpu, wall, alloc, lock", name);
    }
  }
  return "";
}

std::string CheckDuration(const std::string& text) {
  return ParseDuration(text).value_or(0) > 0 ? "" : fmt::format("\"{}\" is not a time such as 10ms or 1s", text);
}

std::string CheckBytes(const std::string& text) {
  return ParseBytes(text).value_or(0) > 0 ? "" : fmt::format("\"{}\" is not a size such as 512k or 2m", text);
}

std::vector<std::pair<std::string, std::string>> Settings(const RunOptions& options) {
  std::vector<std::pair<std::string, std::string>> settings;
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) settings.emplace_back(std::string("spark.sparkprof.") + key, value);
  };
  add("events", options.events);
  add("cpu.interval", options.cpu_interval);
  add("wall.interval", options.wall_interval);
  add("alloc.interval", options.alloc_interval);
  add("lock.threshold", options.lock_threshold);
  add("bucket", options.bucket);
  return settings;
}

// A URI's or path's local folder, read as the plugin reads it. Empty when it is on another file system.
std::string LocalFolder(const std::string& uri) {
  const size_t colon = uri.find(':');
  const bool has_scheme = colon != std::string::npos && uri.find('/') > colon;
  if (!has_scheme) return fs::absolute(uri).lexically_normal();
  if (!uri.starts_with("file:")) return "";
  std::string path = uri.substr(5);
  for (const std::string_view host : {"//localhost/", "///"}) {
    if (path.starts_with(host)) path = path.substr(host.size() - 1);
  }
  return fs::path(path).lexically_normal();
}

// What the user has set for Spark, or in the environment.
std::string UserSetting(const SubmitRequest& request, const char* key, const char* variable) {
  std::string value = FindSetting(request, key);
  const auto found = request.environment.find(variable);
  return value.empty() && found != request.environment.end() ? found->second : value;
}

std::string OwnNodeFolder() {
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  return fmt::format("{}/sparkprof-run-{}-{}", error ? "/tmp" : temporary.lexically_normal().string(), getpid(),
                     EpochNanos() / kNanosPerMilli);
}

// --dir, else what the user has set for Spark, else a folder of this run's own in the output folder.
RecordingPlace ChoosePlace(const RunOptions& options, const SubmitRequest& request, const std::string& output) {
  const std::string uri = options.dir.empty() ? UserSetting(request, kDirKey, "SPARKPROF_DIR") : options.dir;
  RecordingPlace place;
  place.folder = uri.empty() ? output + "/" + kSegmentsName : LocalFolder(uri);
  place.uri = place.folder.empty() || uri.find(':') != std::string::npos ? uri : place.folder;
  if (place.folder.empty()) return place;
  place.node_folder = UserSetting(request, kNodeDirKey, "SPARKPROF_NODE_DIR");
  place.own_node_folder = place.node_folder.empty();
  if (place.own_node_folder) place.node_folder = OwnNodeFolder();
  for (const std::string& folder : {place.folder, place.node_folder}) {
    for (std::string& path : FindRecordings(folder)) place.before.insert(std::move(path));
  }
  place.opened = FileDescriptor(open(place.folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  return place;
}

// Whether the folder that agents write to was deleted since the job started, even if another one has its name now.
bool WasDeleted(const RecordingPlace& place) {
  struct stat then, now;
  if (!place.opened.IsOpen() || fstat(place.opened.Get(), &then) != 0) return false;
  return then.st_nlink == 0 || stat(place.folder.c_str(), &now) != 0 || now.st_ino != then.st_ino ||
         now.st_dev != then.st_dev;
}

// Pieces that agents kept in the second place, once they are joined.
void RemoveNodePieces(const RecordingPlace& place, const std::vector<std::string>& pieces) {
  std::error_code error;
  for (const std::string& piece : pieces) {
    if (!piece.starts_with(place.node_folder + "/")) continue;
    fs::remove(piece, error);
    fs::remove(fs::path(piece).parent_path(), error);  // the application's, if it is empty
  }
  if (place.own_node_folder) fs::remove(place.node_folder, error);
}

void RemoveSegments(const std::string& output, bool created) {
  std::error_code error;
  fs::remove_all(output + "/" + kSegmentsName, error);
  if (created) fs::remove(output, error);
}

// For a job that left nothing: an earlier run's files must not pass for its own.
void RemoveAll(const std::string& output, bool created) {
  std::error_code error;
  for (const char* name : {kRecordingName, kReportName, kFlameGraphName, kSummaryName})
    fs::remove(output + "/" + name, error);
  RemoveSegments(output, created);
}

bool AllEmpty(const std::vector<std::string>& recordings) {
  std::error_code error;
  return std::all_of(recordings.begin(), recordings.end(), [&](const auto& path) { return fs::is_empty(path, error); });
}

// Says how it went; the exit code of a process.
int WriteReport(const std::string& output, const std::string& recording) {
  std::string summary;
  if (const auto written = WriteReportFiles({recording}, output, &summary); !written) {
    Say(fmt::format("no report: {}; the recording is {}", written.error().message, recording));
    return 1;
  }
  fmt::print(stderr, "\n{}\nsparkprof: report: {}/{}\nsparkprof: recording: {}\n", summary, output, kReportName,
             recording);
  return 0;
}

// Recording and report of a job that has ended. Trouble is said and does not change the exit code, which is the job's.
void Finish(const RunOptions& options, const RecordingPlace& place, const std::vector<std::string>& pieces,
            bool agents_ended, const std::string& output) {
  const std::string recording = output + "/" + kRecordingName;
  std::error_code error;
  fs::create_directories(output, error);  // it may have been deleted
  if (const auto joined = JoinRecordings(pieces, recording); !joined) {
    return Say(fmt::format("{}; the pieces stay in {}", joined.error().message, place.folder));
  }
  if (agents_ended) {
    RemoveSegments(output, false);
    RemoveNodePieces(place, pieces);
  } else {
    Say(
        fmt::format("a JVM of the job is still running, the report shows what it wrote so far; later: "
                    "`sparkprof report {}`",
                    place.folder));
  }
  if (options.no_report) return Say(fmt::format("recording: {}", recording));
  // In a process of its own: were memory to run out there, the job's exit code would still be passed on.
  const pid_t writer = fork();
  if (writer == 0) _exit(WriteReport(output, recording));
  int status = 0;
  if (writer < 0 || waitpid(writer, &status, 0) != writer || WIFSIGNALED(status)) {
    Say(fmt::format("writing the report failed; the recording is {}", recording));
  }
}

// In local mode Python workers run in the user's directory: the plugin puts the module that samples them here instead.
void AddPythonPath(const std::string& output, std::map<std::string, std::string>* environment) {
  const std::string folder = output + "/" + kSegmentsName + "/python";
  std::error_code error;
  if (!fs::create_directory(folder, error)) return;
  const char* path = getenv("PYTHONPATH");
  (*environment)["SPARKPROF_PYTHON_PATH"] = folder;
  (*environment)["PYTHONPATH"] = path == nullptr || *path == '\0' ? folder : fmt::format("{}:{}", folder, path);
}

// The output folder is made again; the report goes there.
void SayDeleted(const RecordingPlace& place, const std::vector<std::string>& kept) {
  Say(fmt::format("{} was deleted while the job ran; {}", place.folder,
                  kept.empty() ? "processes that had ended before are missing in the recording"
                               : fmt::format("the recording was kept in {}", place.node_folder)));
}

int RunUnprofiled(const SubmitRequest& request, const std::string& reason) {
  if (!reason.empty()) Say(fmt::format("the job runs without profile: {}", reason));
  int start_failure = 0;
  const auto exit_code = RunJob(request.command, {}, &start_failure);
  return exit_code ? *exit_code : Complain(exit_code.error().message, start_failure);
}

int Run(const RunOptions& options, const std::vector<std::string>& command) {
  if (command.empty()) return Complain("no command; for instance `sparkprof run -- spark-submit job.py`");
  SubmitRequest request{command, ProcessEnvironment(), "", Settings(options)};
  auto jar = FindPluginJar(options.plugin_jar);
  if (!jar) return RunUnprofiled(request, jar.error().message);
  request.plugin_jar = std::move(*jar);

  bool created = false;
  const auto output = PrepareOutputFolder(options.output.empty() ? DefaultOutputFolder() : options.output, &created);
  if (!output) return Complain(output.error().message);
  const RecordingPlace place = ChoosePlace(options, request, *output);
  request.settings.emplace_back(kDirKey, place.uri);
  if (place.own_node_folder) request.settings.emplace_back(kNodeDirKey, place.node_folder);
  auto submit = AddPlugin(request);
  if (!submit || submit->launcher == Launcher::kNoJob) {
    RemoveSegments(*output, created);
    return RunUnprofiled(request, submit ? "" : submit.error().message);
  }

  AddPythonPath(*output, &submit->environment);
  int start_failure = 0;
  const auto exit_code = RunJob(submit->command, submit->environment, &start_failure);
  if (!exit_code) {
    RemoveSegments(*output, created);
    return Complain(exit_code.error().message, start_failure);
  }
  if (place.folder.empty()) {
    RemoveAll(*output, created);
    Say(fmt::format("recordings are in {}; copy them here for `sparkprof report`", place.uri));
    return *exit_code;
  }
  const bool agents_ended = WaitForAgents({place.folder, place.node_folder}, place.before, kWaitForAgentsMillis);
  std::vector<std::string> pieces = FindRecordings(place.folder, place.before);
  const std::vector<std::string> kept = FindRecordings(place.node_folder, place.before);
  pieces.insert(pieces.end(), kept.begin(), kept.end());
  const bool deleted = WasDeleted(place);
  if (AllEmpty(pieces)) {
    RemoveAll(*output, created);
    Say(fmt::format("no recording: {}",
                    deleted ? fmt::format("{} was deleted while the job ran, and nothing was kept in {}", place.folder,
                                          place.node_folder)
                            : ExplainNoRecording(request, submit->launcher, *exit_code)));
  } else {
    if (deleted) SayDeleted(place, kept);
    Finish(options, place, pieces, agents_ended, *output);
  }
  return *exit_code;
}

}  // namespace

std::function<int()> DefineRun(CLI::App& command) {
  const auto options = std::make_shared<RunOptions>();
  const CLI::Validator events(CheckEvents, "LIST"), duration(CheckDuration, "TIME"), bytes(CheckBytes, "BYTES");
  command.add_option("-o,--output", options->output,
                     "Folder for report and recording (default: ./sparkprof-DATE-TIME)");
  command.add_option("--events", options->events, "What to sample (default: cpu,wall,alloc,lock)")->check(events);
  command.add_option("--cpu-interval", options->cpu_interval, "CPU time between samples (default: 10ms)")
      ->check(duration);
  command.add_option("--wall-interval", options->wall_interval, "Time between samples of all threads (default: 100ms)")
      ->check(duration);
  command.add_option("--alloc-interval", options->alloc_interval, "Bytes allocated between samples (default: 2m)")
      ->check(bytes);
  command.add_option("--lock-threshold", options->lock_threshold, "Shortest wait for a lock to record (default: 5ms)")
      ->check(duration);
  command.add_option("--bucket", options->bucket, "Resolution in time (default: 1s)")->check(duration);
  command.add_option("--dir", options->dir,
                     "Folder or URI that driver and executors write recordings to, and that keeps them");
  command.add_option("--plugin-jar", options->plugin_jar,
                     "The Spark plugin's jar (default: the one installed with sparkprof)");
  command.add_flag("--no-report", options->no_report, "Leave only the recording");
  const auto job = std::make_shared<std::vector<std::string>>();
  command.add_option("COMMAND", *job, "The job, after \"--\"");
  command.footer(
      "COMMAND is spark-submit, pyspark, spark-shell or spark-sql with its arguments, or a program that builds its "
      "own\n"
      "SparkSession. The exit code is the job's.\n"
      "  sparkprof run -- spark-submit --master yarn job.py --date 2026-11-21\n"
      "  sparkprof run --output report --events cpu,alloc -- python job.py");
  return [options, job] { return Run(*options, *job); };
}

}  // namespace sparkprof
