// SPDX-License-Identifier: Apache-2.0
#include "capture/run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "base/io/file.h"
#include "base/io/private_file.h"
#include "base/text/escaped_text.h"
#include "base/text/text.h"
#include "base/time.h"
#include "inputs/remote_recordings.h"
#include "inputs/send_recordings.h"
#include "inputs/server_options.h"
#include "inputs/shared_options.h"
#include "launch/folder_checks.h"
#include "launch/job_checks.h"
#include "launch/job_process.h"
#include "launch/job_settings.h"
#include "launch/output_folder.h"
#include "launch/plugin_jar.h"
#include "launch/remote_folder.h"
#include "launch/submit_command.h"
#include "model/samples/sample.h"
#include "output/report_files.h"
#include "settings/settings.h"
#include "verb.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

// Agents end within 3 s of their JVM, later on a machine that is overloaded or was suspended.
constexpr int kWaitForAgentsMillis = 15000;
// Timeout of a request to the server after the job.
constexpr std::chrono::seconds kSendTimeout{10};
constexpr std::chrono::seconds kFetchTimeout{120};
constexpr char kDirKey[] = "spark.sparkprof.dir";
constexpr char kRunKey[] = "spark.sparkprof.run";
constexpr char kNodeDirKey[] = "spark.sparkprof.nodeDir";

struct RunOptions {
  std::string output;
  std::map<std::string, std::string> settings;  // option values by setting key
  std::string plugin_jar;
  std::string source;
  std::string prices;
  std::optional<PriceList> price_list;  // read from `prices`
  bool no_report = false;
  bool is_automatic = false;
  // A scheduler's job must always start: invalid settings only disable the profiler.
  bool for_scheduler = false;
};

// Describes where the recording goes.
std::string Target(const JobSettings& settings, const std::string& folder) {
  const std::string& server = settings.values.find("server")->second;
  if (folder.empty()) return server;
  return server.empty() ? folder : fmt::format("{} and {}", folder, server);
}

// Location of the agents' output, and of the parts of the recording afterwards.
struct RecordingPlace {
  std::string uri;               // as passed to Spark
  bool own_uri = false;          // a folder in the cluster created for this run only
  std::string folder;            // local folder; empty if it is elsewhere
  std::string node_folder;       // fallback folder of the agents if `folder` is deleted
  bool own_node_folder = false;  // created for this run only
  std::set<std::string> before;  // existing recordings
  FileDescriptor opened;         // `folder`, if it existed before the job
};

// The local folder of a URI or path, as interpreted by the plugin; empty if it is on another file system.
std::string LocalFolder(const std::string& uri) {
  if (!IsUri(uri)) return fs::absolute(uri).lexically_normal();
  if (!ToLowerAscii(uri.substr(0, 5)).starts_with("file:")) return "";
  std::string path = uri.substr(5);
  for (const std::string_view host : {"//localhost/", "///"}) {
    if (path.starts_with(host)) path = path.substr(host.size() - 1);
  }
  return fs::path(path).lexically_normal();
}

RemoteRecording NewRemoteRecording() {
  const int64_t now = EpochNanos();
  return {.uri = "", .run = fmt::format("{:x}-{:x}", now, getpid()), .since_ns = now};
}

std::string OwnNodeFolder() {
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  return fmt::format("{}/sparkprof-run-{}-{}", error ? "/tmp" : temporary.lexically_normal().string(), getpid(),
                     EpochNanos() / kNanosPerMilli);
}

// Chooses the setting `dir`, or a folder for this run in the output folder. A driver on another machine sends its
// recording to the server only.
RecordingPlace ChoosePlace(const SubmitRequest& request, const JobSettings& settings, const std::string& output,
                           const std::string& run) {
  const std::string& uri = settings.values.find("dir")->second;
  RecordingPlace place;
  if (uri.empty() && !settings.values.find("server")->second.empty() && IsClusterMode(request)) return place;
  if (uri.empty()) place.uri = RunFolderOnCluster(request, run);
  place.own_uri = !place.uri.empty();
  if (place.own_uri) return place;
  place.folder = uri.empty() ? output + "/" + kSegmentsName : LocalFolder(uri);
  place.uri = place.folder.empty() || IsUri(uri) ? uri : place.folder;
  if (place.folder.empty()) return place;
  place.node_folder = settings.values.find("nodeDir")->second;
  place.own_node_folder = place.node_folder.empty();
  if (place.own_node_folder) place.node_folder = OwnNodeFolder();
  for (const std::string& folder : {place.folder, place.node_folder}) {
    for (std::string& path : FindRecordings(folder)) place.before.insert(std::move(path));
  }
  place.opened = FileDescriptor(open(place.folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  return place;
}

// Whether the agents' folder was deleted since the job started, even if another one has its name now.
bool WasDeleted(const RecordingPlace& place) {
  struct stat then, now;
  if (!place.opened.IsOpen() || fstat(place.opened.Get(), &then) != 0) return false;
  return then.st_nlink == 0 || stat(place.folder.c_str(), &now) != 0 || now.st_ino != then.st_ino ||
         now.st_dev != then.st_dev;
}

// Removes pieces in the fallback folder after they have been joined.
void RemoveNodePieces(const RecordingPlace& place, const std::vector<std::string>& pieces) {
  if (place.node_folder.empty()) return;
  std::error_code error;
  for (const std::string& piece : pieces) {
    if (!piece.starts_with(place.node_folder + "/")) continue;
    fs::remove(piece, error);
    fs::remove(fs::path(piece).parent_path(), error);  // the application's folder, if it is empty
  }
  if (place.own_node_folder) fs::remove(place.node_folder, error);
}

void RemoveSegments(const std::string& output, bool created) {
  std::error_code error;
  fs::remove_all(output + "/" + kSegmentsName, error);
  if (created) fs::remove(output, error);
}

// After a job without output, removes an earlier run's files, which could be mistaken for it.
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

// Must be the last message: scripts read its line.
void SayReport(const std::string& output) { SayPath("report", output + "/" + kReportName); }

// Prints the summary. Returns an exit code.
int WriteReport(const std::string& output, const std::string& recording, const RunOptions& options) {
  std::string summary;
  if (const auto written = WriteReportFiles({recording}, output, options.source, options.price_list, &summary);
      !written) {
    Say(fmt::format("cannot write the report: {}; the recording is {}", written.error().message, recording));
    return 1;
  }
  SaySummary(summary);
  SayPath("recording", recording);
  return 0;
}

// Writes recording and report after the job. `ends`: result of EndsOfKilledDrivers. Prints errors, which do not change
// the exit code: it is the job's. Returns whether it wrote the report; the caller prints its path last (SayReport).
bool Finish(const RunOptions& options, const RecordingPlace& place, const std::vector<std::string>& pieces,
            const std::string& ends, bool agents_ended, const std::string& output) {
  const std::string recording = output + "/" + kRecordingName;
  // The folder may have been deleted. If it cannot be created, joining fails with the reason.
  (void)CreateFolders(output);
  if (const auto joined = JoinRecordings(pieces, recording, ends); !joined) {
    Say(fmt::format("{}; the parts of the recording are in {}", joined.error().message, place.folder));
    return false;
  }
  if (agents_ended) {
    RemoveSegments(output, false);
    RemoveNodePieces(place, pieces);
  } else {
    Say(
        fmt::format("a JVM of the job is still running; the report is incomplete. When it has exited, run "
                    "`sparkprof report {}`",
                    ShellWord(place.folder)));
  }
  if (options.no_report) {
    SayPath("recording", recording);
    return false;
  }
  // Writes the report in a child process, so that running out of memory does not affect the job's exit code.
  const pid_t writer = fork();
  if (writer == 0) _exit(WriteReport(output, recording, options));
  int status = 0;
  if (writer < 0 || waitpid(writer, &status, 0) != writer || WIFSIGNALED(status)) {
    Say(fmt::format("cannot write the report; the recording is {}", recording));
    return false;
  }
  return status == 0;
}

// Whether the settings need the driver's Python program to sample itself.
bool SamplesProgramInside(const JobSettings& settings) {
  const std::vector<std::string_view> events = Split(settings.values.find("events")->second, ',');
  return settings.values.find("python.native")->second == "true" ||
         std::find(events.begin(), events.end(), EventName(Event::kPythonAlloc)) != events.end();
}

// In local mode, Python workers run in the user's directory; the plugin puts its module here instead. With `program`, a
// module loaded at Python's startup makes the driver's program sample itself.
void AddPythonPath(const std::string& output, const std::string& plugin_jar, bool program,
                   std::map<std::string, std::string>* environment) {
  const std::string folder = output + "/" + kSegmentsName + "/python";
  if (!CreateNewFolder(folder)) return;
  const Result<std::string> module =
      program ? ReadJarEntry(plugin_jar, "python/sparkprof/_program.py") : Result<std::string>("");
  if (module && !module->empty()) (void)WriteFile(folder + "/sitecustomize.py", *module);
  const char* path = getenv("PYTHONPATH");
  (*environment)["SPARKPROF_PYTHON_PATH"] = folder;
  (*environment)["PYTHONPATH"] = path == nullptr || *path == '\0' ? folder : fmt::format("{}:{}", folder, path);
}

// Reports the deletion; the output folder is recreated for the report.
void SayDeleted(const RecordingPlace& place, const std::vector<std::string>& kept) {
  Say(fmt::format("{} was deleted while the job ran; {}", place.folder,
                  kept.empty() ? "the recording lacks processes that had exited before"
                               : fmt::format("the recording was kept in {}", place.node_folder)));
}

// Prints the URLs of the applications' pages. Agents name the recording's folder after its application.
void SayPages(const std::string& server, const std::vector<std::string>& pieces) {
  std::set<std::string> applications;
  for (const std::string& piece : pieces) {
    const fs::path path(piece);
    if (!path.filename().string().starts_with("starting-")) applications.insert(path.parent_path().filename());
  }
  for (const std::string& application : applications)
    Say(fmt::format("server: {}/applications/{}", server, application));
}

Result<void> SendAll(const std::vector<std::string>& pieces, const std::string& ends, const CollectorOptions& options) {
  Result<RecordingSender> sender = RecordingSender::Create(options);
  if (!sender) return tl::unexpected(sender.error());
  for (const std::string& piece : pieces) {
    if (Result<void> sent = SendRecording(piece, &*sender); !sent) return sent;
  }
  if (!ends.empty()) {
    if (Result<void> sent = sender->Add(ends); !sent) return sent;
  }
  return sender->Flush();
}

// Sends the recordings of killed JVMs, whose plugins could not. The driver's recording, which identifies the owner, is
// sent along, because this sender has a different secret. Blocks that the server already has are not stored again.
void SendOfKilled(const JobSettings& settings, const std::vector<std::string>& pieces, const std::string& ends,
                  const std::string& output) {
  std::vector<std::string> unfinished;
  bool is_any_unfinished = false;
  for (const std::string& piece : pieces) {
    const Result<RecordingSummary> summary = SummaryOf(piece);
    if (!summary || (summary->has_ended && !summary->has_spark_events)) continue;
    is_any_unfinished = is_any_unfinished || !summary->has_ended;
    unfinished.push_back(piece);
  }
  if (!is_any_unfinished) return;
  CollectorOptions options = CollectorOf(settings);
  options.timeout = kSendTimeout;
  if (const Result<void> sent = SendAll(unfinished, ends, options); !sent) {
    Say(fmt::format("{}; {} may lack the end of killed JVMs: send it with `sparkprof push {} --server {}`",
                    sent.error().message, options.server, ShellWord(fmt::format("{}/{}", output, kRecordingName)),
                    ShellWord(options.server)));
  }
}

int ComplainNotStarted(const Error& error, int exit_code) {
  return Complain(error.message + "; run `sparkprof doctor` to find out whether Spark and Java are there", exit_code);
}

int RunUnprofiled(const SubmitRequest& request, const std::string& reason) {
  if (!reason.empty()) Say(fmt::format("running without the profiler: {}", reason));
  int start_failure = 0;
  const auto exit_code = RunJob(request.command, {}, &start_failure);
  return exit_code ? *exit_code : ComplainNotStarted(exit_code.error(), start_failure);
}

// Reports limitations of the plugin before the job starts. Returns the reason if it cannot profile at all; empty if it
// can.
std::string SayChecks(const std::vector<Check>& checks) {
  std::string reason;
  for (const Check& check : checks) {
    if (check.status == CheckStatus::kOk) continue;
    // Spark itself fails on an unsupported Java with its own message.
    const bool stops_plugin = check.status == CheckStatus::kMissing && check.name != "Java";
    const bool is_missing = check.status == CheckStatus::kMissing;
    if (!stops_plugin) {
      Say(fmt::format("{}: {}{}", check.name, check.finding, is_missing ? "; run `sparkprof doctor`" : ""));
    }
    if (stops_plugin) reason += (reason.empty() ? "" : "; ") + check.finding;
  }
  return reason;
}

// Checks the requirements for profiling the job. A driver in the cluster uses the temporary folders of another machine.
std::vector<Check> ChecksBefore(const SubmitRequest& request) {
  std::vector<Check> checks = CheckJob(request);
  checks.push_back(CheckFileSize());
  if (!IsClusterMode(request)) checks.push_back(CheckTemporaryFolders(TemporaryFolders(request)));
  checks.push_back(CheckRoomForJar(request));
  return checks;
}

// Writes the report and the recording of a run whose recording exists only on the collector. Returns whether it wrote
// the report.
bool FinishFromServer(const RunOptions& options, const RemoteRecording& remote, const JobSettings& settings,
                      const EndedJob& job, const std::string& output, bool created) {
  CollectorOptions collector = CollectorOf(settings);
  collector.timeout = kFetchTimeout;
  const std::string segments = output + "/" + kSegmentsName;
  const Result<std::string> page = FetchFromServer(collector, remote, segments);
  if (!page) {
    RemoveAll(output, created);
    Say(fmt::format("cannot fetch the recording from {}: {}", collector.server, page.error().message));
    Say(fmt::format("server: {}/", collector.server));
    return false;
  }
  const std::vector<std::string> pieces = FindRecordings(segments);
  const bool has_report = Finish(options, {.uri = *page, .folder = segments}, pieces, EndsOfKilledDrivers(job, pieces),
                                 /*agents_ended=*/true, output);
  Say(fmt::format("server: {}", *page));
  return has_report;
}

// Ends a run whose recording is elsewhere: fetches it and writes the report, or prints its location. Returns whether it
// wrote the report.
bool FinishInCluster(const RunOptions& options, const EndedJob& job, const RecordingPlace& place,
                     RemoteRecording remote, const JobSettings& settings, const std::string& output, bool created) {
  const SubmitRequest& request = job.request;
  const std::string& server = settings.values.find("server")->second;
  const std::string folder = place.folder.empty() ? place.uri : place.folder;
  bool has_report = false;
  if (!folder.empty() && ReturnsEarly(request)) {
    if (place.folder.empty()) RemoveAll(output, created);
    Say(fmt::format("the application may still be running in the cluster; when it has ended, create its report from {}",
                    folder));
    SayPath("recording", folder);
  } else if (!place.uri.empty()) {
    const std::string segments = output + "/" + kSegmentsName;
    remote.uri = place.uri;
    remote.remove = place.own_uri;
    const Result<void> fetched = FetchRecording(request, remote, segments);
    const std::vector<std::string> pieces = FindRecordings(segments);
    if (!AllEmpty(pieces)) {
      has_report = Finish(options, {.uri = place.uri, .folder = segments}, pieces, EndsOfKilledDrivers(job, pieces),
                          /*agents_ended=*/true, output);
    } else {
      RemoveAll(output, created);
      Say(fetched
              ? fmt::format("no recording: {} has none of this application", place.uri)
              : fmt::format("cannot copy the recording from {}: {}; copy it to this machine and run `sparkprof report`",
                            place.uri, fetched.error().message));
    }
  } else if (!server.empty() && !ReturnsEarly(request)) {
    return FinishFromServer(options, remote, settings, job, output, created);
  } else {
    RemoveAll(output, created);
  }
  if (!server.empty()) Say(fmt::format("server: {}/", server));
  return has_report;
}

int Run(RunOptions options, const std::vector<std::string>& command) {
  if (command.empty()) return Complain("missing command; for example `sparkprof run -- spark-submit job.py`");
  Result<std::optional<PriceList>> prices = ReadPrices(options.prices);
  if (!prices) return Complain(prices.error().message);
  options.price_list = std::move(*prices);
  SubmitRequest request{command, ProcessEnvironment(), "", {}};
  for (const auto& [key, text] : options.settings) {
    request.settings.emplace_back(std::string(kSettingPrefix) + key, text);
  }
  if (FindLauncher(request) == Launcher::kNoJob) return RunUnprofiled(request, "");
  const JobSettings settings = ResolveSettings(request);
  if (!settings.refused.empty()) {
    const std::string reason = fmt::format("{}", fmt::join(settings.refused, "; "));
    return options.for_scheduler ? RunUnprofiled(request, reason) : Complain(reason);
  }
  if (settings.values.find("dir")->second.empty() && settings.values.find("server")->second.empty()) {
    const std::string reason = MissingPlaceInCluster(request);
    if (!reason.empty()) return options.for_scheduler ? RunUnprofiled(request, reason) : Complain(reason);
  }
  auto jar = FindPluginJar(options.plugin_jar);
  if (!jar) return RunUnprofiled(request, jar.error().message);
  request.plugin_jar = std::move(*jar);
  const std::string folder = options.output.empty() ? DefaultOutputFolder() : options.output;
  if (const auto refused = RefuseOtherContents(folder); !refused) return Complain(refused.error().message);
  if (const std::string reason = SayChecks(ChecksBefore(request)); !reason.empty()) {
    return RunUnprofiled(request, reason);
  }
  if (const std::string reason = MissingJarInPod(request); !reason.empty()) return RunUnprofiled(request, reason);
  SetSharing(*ParseSharing(settings.values.find("share")->second));
  if (const auto added = AddAutoSettings(settings, options.is_automatic, &request); !added) {
    if (!options.for_scheduler) return Complain(added.error().message);
    Say(fmt::format("{}; the job keeps its own settings", added.error().message));
  }

  bool created = false;
  const auto output = PrepareOutputFolder(folder, &created);
  if (!output) return RunUnprofiled(request, output.error().message);
  const RemoteRecording remote = NewRemoteRecording();
  const RecordingPlace place = ChoosePlace(request, settings, *output, remote.run);
  std::erase_if(request.settings, [](const auto& setting) { return setting.first == kDirKey; });
  if (!place.uri.empty()) request.settings.emplace_back(kDirKey, place.uri);
  if (place.folder.empty()) request.settings.emplace_back(kRunKey, remote.run);
  if (place.own_node_folder) request.settings.emplace_back(kNodeDirKey, place.node_folder);
  auto submit = AddPlugin(request);
  if (!submit) {
    RemoveSegments(*output, created);
    return RunUnprofiled(request, submit.error().message);
  }
  const bool own_place = settings.values.find("dir")->second.empty() && !place.folder.empty();
  Say(fmt::format("{}; recording to {}", Describe(settings), Target(settings, own_place ? *output : place.uri)));

  AddPythonPath(*output, request.plugin_jar, SamplesProgramInside(settings), &submit->environment);
  int start_failure = 0;
  const auto exit_code = RunJob(submit->command, submit->environment, &start_failure);
  if (!exit_code) {
    RemoveSegments(*output, created);
    return ComplainNotStarted(exit_code.error(), start_failure);
  }
  const EndedJob job{request, *exit_code};
  // Beyond `ulimit -f` a write then fails, as on a full disk; the job was started before.
  signal(SIGXFSZ, SIG_IGN);
  const std::string& server = settings.values.find("server")->second;
  if (place.folder.empty() || ReturnsEarly(request)) {
    if (FinishInCluster(options, job, place, remote, settings, *output, created)) SayReport(*output);
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
    const std::string ends = agents_ended ? EndsOfKilledDrivers(job, pieces) : std::string();
    if (!server.empty()) SendOfKilled(settings, pieces, ends, *output);
    const bool has_report = Finish(options, place, pieces, ends, agents_ended, *output);
    if (!server.empty()) SayPages(server, pieces);
    if (has_report) SayReport(*output);
  }
  return *exit_code;
}

// Value type of a setting's option. Options of other commands with the same name have the same type.
const char* TypeName(SettingKind kind) {
  switch (kind) {
    case SettingKind::kDuration:
      return "TIME";
    case SettingKind::kBytes:
      return "SIZE";
    case SettingKind::kChoice:
      return "WHO";
    case SettingKind::kChoices:
      return "EVENT";
    case SettingKind::kLocation:
      return "LOCATION";
    case SettingKind::kUrl:
      return "URL";
    case SettingKind::kText:
      return "FILE";
    default:
      return "VALUE";
  }
}

// Adds an option for a setting; its value is the user's text, validated. An option without a value enables the setting.
void AddSetting(const Setting& setting, std::map<std::string, std::string>* texts, CLI::App& command) {
  const auto take = [&setting, texts](const std::string& text) {
    if (const auto value = ReadSetting(setting, text); !value) {
      throw CLI::ValidationError(SettingRefusal(setting, setting.option, text, value.error()));
    }
    (*texts)[std::string(setting.key)] = text;
  };
  std::string purpose(setting.meaning);
  if (setting.kind == SettingKind::kFlag) {
    const std::string key(setting.key);
    command.add_flag_callback(
        std::string(setting.option), [key, texts] { (*texts)[key] = "true"; }, purpose);
    return;
  }
  if (!setting.standard.empty()) purpose += fmt::format(" (default: {})", setting.standard);
  command.add_option_function<std::string>(std::string(setting.option), take, purpose)
      ->type_name(setting.kind == SettingKind::kChoice || setting.kind == SettingKind::kChoices
                      ? fmt::format("{}:{{{}}}", TypeName(setting.kind), setting.allowed)
                      : TypeName(setting.kind));
}

}  // namespace

int RunForScheduler(const std::vector<std::string>& command, const std::string& output) {
  RunOptions options;
  options.output = output;
  options.for_scheduler = true;
  LeaveOutSchedulerLines();
  return Run(options, command);
}

std::function<int()> DefineRun(CLI::App& command) {
  const auto options = std::make_shared<RunOptions>();
  AddOption(command, "--output-dir DIR", &options->output,
            "Output folder; for report and recording (default: ./sparkprof-DATE-TIME)");
  for (const Setting& setting : AllSettings()) {
    if (!setting.option.empty()) AddSetting(setting, &options->settings, command);
  }
  AddOption(command, "--plugin-jar FILE", &options->plugin_jar, kPluginJarPurpose);
  command.add_flag("--no-report", options->no_report, "Do not write a report");
  command.add_flag("--auto", options->is_automatic,
                   "Set sizes by the last runs of the job, within a policy, and take them back if a run gets worse");
  AddSourceTo(command, &options->source);
  AddPricesTo(command, &options->prices);
  const auto job = std::make_shared<std::vector<std::string>>();
  command.add_option("COMMAND", *job, "The job, after \"--\"");
  command.footer(
      "COMMAND is spark-submit, pyspark, spark-shell or spark-sql with arguments, or a program that builds its own\n"
      "SparkSession. The exit code is that of the job; the last line on standard error is the path of the report.\n"
      "Examples:\n"
      "  sparkprof run -- spark-submit --master yarn job.py --date 2026-11-21\n"
      "  sparkprof run --output-dir report --event cpu,alloc -- python job.py\n"
      "  sparkprof run --auto --from runs --auto-policy auto.yaml --output-dir runs/today -- spark-submit job.py");
  return [options, job] { return Run(*options, *job); };
}

}  // namespace sparkprof
