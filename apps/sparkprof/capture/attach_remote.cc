// SPDX-License-Identifier: Apache-2.0
#include "capture/attach_remote.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <simdjson.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <thread>

#include "base/io/file.h"
#include "base/io/private_file.h"
#include "base/text/hadoop_configuration.h"
#include "base/text/text.h"
#include "base/time.h"
#include "capture/run.h"
#include "http/http_client.h"
#include "launch/plugin_jar.h"
#include "launch/remote_attach.h"
#include "verb.h"

namespace sparkprof {
namespace {

constexpr int kStartTries = 30;         // attempts of the first command in an ephemeral container, one per second
constexpr int64_t kSpareSeconds = 120;  // lifetime of an ephemeral container beyond the profile
constexpr uint64_t kMaxExecutorBytes = uint64_t{64} << 20;
constexpr char kDefaultManager[] = "http://localhost:8088";

Result<void> RunBefore(const AttachTarget& target) {
  std::map<std::string, std::string> variables;
  for (const RemoteStep& step : target.before) {
    Result<std::string> printed = RunStep(WithVariables(step, variables));
    if (!printed) return tl::unexpected(printed.error());
    if (!step.variable.empty()) variables[step.variable] = std::string(Trim(*printed));
  }
  return {};
}

// A new container takes a moment to start.
Result<void> RunFirst(const RemoteStep& step, int tries) {
  for (int attempt = 1;; ++attempt) {
    const Result<std::string> done = RunStep(step);
    if (done) return {};
    if (attempt >= tries) return tl::unexpected(done.error());
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
}

Result<void> RunAttach(const AttachTarget& target, const RemoteAttachOptions& options, int tries) {
  const std::vector<RemoteStep> steps = AttachSteps(target, options);
  Result<void> done = RunFirst(steps.front(), tries);
  for (size_t row = 1; row + 1 < steps.size() && done; ++row) {
    if (const Result<std::string> ran = RunStep(steps[row]); !ran) done = tl::unexpected(ran.error());
  }
  // Always removes the folder at the target.
  (void)RunStep(steps.back());
  return done;
}

// A target, and a fallback for when its first steps are not permitted.
struct Way {
  AttachTarget first;
  std::optional<AttachTarget> otherwise;
};

Result<void> AttachTo(const Way& way, const RemoteAttachOptions& options) {
  if (!way.otherwise) return RunAttach(way.first, options, 1);
  if (RunBefore(way.first)) return RunAttach(way.first, options, kStartTries);
  Complain(fmt::format("{}: no ephemeral container; using exec", way.first.name));
  return RunAttach(*way.otherwise, options, 1);
}

PodOptions PodOptionsOf(const RemoteTargets& targets, const RemoteProfile& profile, const std::string& mark) {
  return {.space = targets.space,
          .container = targets.container,
          .image = targets.image,
          .ephemeral = "sparkprof-" + mark,
          .seconds = profile.duration_ns / kNanosPerSecond + kSpareSeconds};
}

Way WayToPod(const std::string& pod, const RemoteTargets& targets, const PodOptions& options) {
  if (targets.exec) return {ExecTarget(pod, options), std::nullopt};
  return {EphemeralTarget(pod, options), ExecTarget(pod, options)};
}

std::string ManagerUrl() {
  for (const char* const variable : {"HADOOP_CONF_DIR", "YARN_CONF_DIR"}) {
    const char* const folder = std::getenv(variable);
    const HadoopConfiguration properties = ReadHadoopConfiguration(folder == nullptr ? "" : folder);
    if (const auto found = properties.find("yarn.resourcemanager.webapp.address"); found != properties.end())
      return "http://" + found->second;
  }
  return kDefaultManager;
}

// Finds executors through the driver's REST API, proxied by YARN's ResourceManager.
Result<std::vector<Way>> ExecutorsOnHosts(const RemoteTargets& targets) {
  const std::string base = targets.ui.empty() ? ManagerUrl() + "/proxy/" + targets.yarn_application : targets.ui;
  const std::string address = fmt::format("{}/api/v1/applications/{}/executors", base, targets.yarn_application);
  const Result<Url> url = ParseUrl(address);
  if (!url) return tl::unexpected(url.error());
  const Result<HttpResponse> answer = SendHttp("GET", *url, {}, "", {.max_response_bytes = kMaxExecutorBytes});
  if (!answer) return tl::unexpected(answer.error());
  simdjson::dom::parser parser;
  simdjson::dom::array rows;
  if (answer->status != 200 ||
      parser.parse(simdjson::padded_string(answer->Body())).get_array().get(rows) != simdjson::SUCCESS) {
    return Fail(
        fmt::format("{}: expected the list of executors, status {}; use --ui with the address of the driver's page",
                    address, answer->status));
  }
  std::vector<Way> ways;
  for (const simdjson::dom::element row : rows) {
    std::string_view id, host;
    if (row["id"].get(id) != simdjson::SUCCESS || row["hostPort"].get(host) != simdjson::SUCCESS) continue;
    host = host.substr(0, host.rfind(':'));
    const bool wanted =
        targets.all || std::find(targets.executors.begin(), targets.executors.end(), id) != targets.executors.end();
    if (!wanted) continue;
    ways.push_back(
        {HostTarget(targets.remote, std::string(host), targets.yarn_application, std::string(id)), std::nullopt});
  }
  if (ways.empty()) return Fail(fmt::format("{}: none of these executors is active", targets.yarn_application));
  return ways;
}

Result<std::vector<Way>> PodsOfApplication(const RemoteTargets& targets, const PodOptions& options) {
  const Result<std::string> names = RunStep(ListPods(targets.application, targets.executors, options));
  if (!names) return tl::unexpected(names.error());
  std::vector<Way> ways;
  for (const std::string_view name : Split(Trim(*names), ' ')) {
    if (!name.empty()) ways.push_back(WayToPod(std::string(name), targets, options));
  }
  if (ways.empty()) return Fail(fmt::format("{}: no running pods of this application", targets.application));
  return ways;
}

Result<std::vector<Way>> FindWays(const RemoteTargets& targets, const PodOptions& options) {
  if (!targets.yarn_application.empty()) return ExecutorsOnHosts(targets);
  if (targets.pods.empty()) return PodsOfApplication(targets, options);
  std::vector<Way> ways;
  for (const std::string& pod : targets.pods) ways.push_back(WayToPod(pod, targets, options));
  return ways;
}

void PrintSteps(const AttachTarget& target, const RemoteAttachOptions& options, std::string_view indent) {
  for (const RemoteStep& step : target.before) fmt::print("{}{}\n", indent, ShellLine(step));
  // A new container takes a moment to start.
  if (!target.before.empty())
    fmt::print("{}until {} 2>/dev/null; do sleep 1; done\n", indent, ShellLine(ProbeStep(target)));
  for (const RemoteStep& step : AttachSteps(target, options)) fmt::print("{}{}\n", indent, ShellLine(step));
}

// Executors on one host need separate folders.
RemoteAttachOptions OptionsOf(size_t row, RemoteAttachOptions options) {
  options.folder += fmt::format("-{}", row);
  return options;
}

// Prints the commands as shell lines. Does not query an application's pods.
int PrintCommands(const RemoteTargets& targets, const PodOptions& pods, const RemoteAttachOptions& options) {
  const std::string folder = ShellLine({.command = {"mkdir", "-p", options.output_dir}});
  if (!targets.application.empty() && targets.pods.empty() && targets.yarn_application.empty()) {
    fmt::print("{}\n{}\nfor POD in $PODS; do\n", folder,
               ShellLine(ListPods(targets.application, targets.executors, pods)));
    PrintSteps(WayToPod("$POD", targets, pods).first, options, "  ");
    fmt::print("done\n");
    return kExitSuccess;
  }
  const Result<std::vector<Way>> ways = FindWays(targets, pods);
  if (!ways) return Complain(ways.error().message);
  fmt::print("{}\n", folder);
  for (size_t row = 0; row < ways->size(); ++row) PrintSteps((*ways)[row].first, OptionsOf(row, options), "");
  return kExitSuccess;
}

std::vector<std::string> AttachWords(const RemoteProfile& profile) {
  std::vector<std::string> words{"--duration", fmt::format("{}ms", profile.duration_ns / kNanosPerMilli)};
  if (!profile.events.empty())
    words.insert(words.end(), {"--event", fmt::format("{}", fmt::join(profile.events, ","))});
  if (!profile.interval.empty()) words.insert(words.end(), {"--interval", profile.interval});
  return words;
}

// Returns the exit code.
int RunAll(const std::vector<Way>& ways, const RemoteAttachOptions& options) {
  std::vector<Result<void>> results(ways.size());
  std::vector<std::thread> threads;
  for (size_t row = 0; row < ways.size(); ++row) {
    threads.emplace_back([&, row] { results[row] = AttachTo(ways[row], OptionsOf(row, options)); });
  }
  for (std::thread& thread : threads) thread.join();
  bool any = false;
  for (size_t row = 0; row < ways.size(); ++row) {
    const std::string file = fmt::format("{}/{}.jfr", options.output_dir, ways[row].first.name);
    if (results[row]) {
      fmt::print("{}\n", ToOneLine(file));
      any = true;
    } else {
      Complain(fmt::format("{}: {}", ways[row].first.name, results[row].error().message));
    }
  }
  return any ? kExitSuccess : kExitNo;
}

}  // namespace

void RemoteTargets::AddTo(CLI::App& command) {
  AddOption(command, "--k8s POD", &pods, "Pods to profile, through kubectl; several with commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  AddOption(command, "--yarn ID", &yarn_application, "Profile the executors of this application on YARN, through ssh");
  AddOption(command, "--app ID", &application, "Profile the pods of this application; with --all-spark, its JVMs");
  AddOption(command, "--executor ID", &executors, "Select an executor by its ID; several with commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_flag("--all", all, "All executors and the driver of the application");
  AddOption(command, "--namespace NAME", &space, "Namespace of the pods (default: kubectl's)");
  AddOption(command, "--container NAME", &container, "Container of the pods (default: Spark's)");
  AddOption(command, "--image IMAGE", &image, "Image of the ephemeral container (default: the pod's)");
  command.add_flag("--exec", exec, "Run in the pods' own container instead of an ephemeral one");
  AddOption(command, "--ui URL", &ui, "Address of the driver's page (default: by YARN's ResourceManager)");
  AddOption(command, "--remote TEMPLATE", &remote,
            "Command that runs {command} on {host} (default: ssh {host} {command})");
  command.add_flag("--dry-run", dry_run, "Print the commands for pods and other hosts, and exit");
}

bool RemoteTargets::IsRemote(bool all_spark) const {
  return !pods.empty() || !yarn_application.empty() || (!application.empty() && !all_spark);
}

int AttachToRemote(const RemoteTargets& targets, const RemoteProfile& profile) {
  const bool is_application = targets.pods.empty();
  if (is_application && !targets.all && targets.executors.empty()) {
    return Complain("--app and --yarn require --executor ID or --all");
  }
  const std::string mark = fmt::format("{:x}-{}", EpochNanos() / kNanosPerMilli, getpid());
  std::error_code error;
  RemoteAttachOptions options{.program = std::filesystem::read_symlink("/proc/self/exe", error),
                              .jar = "",
                              .folder = "/tmp/sparkprof-attach-" + mark,
                              .attach_words = AttachWords(profile),
                              .output_dir = profile.output_dir.empty() ? "sparkprof-attach" : profile.output_dir};
  const PodOptions pods = PodOptionsOf(targets, profile, mark);
  const Result<std::string> jar = FindPluginJar(profile.plugin_jar);
  if (!jar) return Complain(jar.error().message);
  options.jar = *jar;
  if (targets.dry_run) return PrintCommands(targets, pods, options);
  const Result<std::vector<Way>> ways = FindWays(targets, pods);
  if (!ways) return Complain(ways.error().message);
  if (const Result<void> made = CreateFolders(options.output_dir); !made) return Complain(made.error().message);
  return RunAll(*ways, options);
}

}  // namespace sparkprof
