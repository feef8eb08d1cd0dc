// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/machines/executor_memory.h"
#include "analysis/selection/spark_settings.h"
#include "base/text/characters.h"
#include "base/text/text.h"
#include "base/time.h"
#include "fragments/fragment_readers.h"

namespace sparkprof {
namespace {

using Names = std::vector<std::string>;

// Options of spark-submit with a value, and the setting that each sets.
struct SubmitOption {
  std::string_view name, setting = {};
};
constexpr SubmitOption kOptions[] = {{"--master", "spark.master"},
                                     {"--deploy-mode", "spark.submit.deployMode"},
                                     {"--class"},
                                     {"--name", "spark.app.name"},
                                     {"--jars", "spark.jars"},
                                     {"--packages", "spark.jars.packages"},
                                     {"--exclude-packages", "spark.jars.excludes"},
                                     {"--repositories", "spark.jars.repositories"},
                                     {"--py-files", "spark.submit.pyFiles"},
                                     {"--files", "spark.files"},
                                     {"--archives", "spark.archives"},
                                     {"--conf"},
                                     {"-c"},
                                     {"--properties-file"},
                                     {"--driver-memory", "spark.driver.memory"},
                                     {"--driver-java-options", "spark.driver.extraJavaOptions"},
                                     {"--driver-library-path", "spark.driver.extraLibraryPath"},
                                     {"--driver-class-path", "spark.driver.extraClassPath"},
                                     {"--executor-memory", "spark.executor.memory"},
                                     {"--proxy-user"},
                                     {"--driver-cores", "spark.driver.cores"},
                                     {"--total-executor-cores", "spark.cores.max"},
                                     {"--executor-cores", "spark.executor.cores"},
                                     {"--num-executors", "spark.executor.instances"},
                                     {"--queue", "spark.yarn.queue"},
                                     {"--principal", "spark.kerberos.principal"},
                                     {"--keytab", "spark.kerberos.keytab"},
                                     {"--remote", "spark.remote"},
                                     {"--kill"},
                                     {"--status"}};

const SubmitOption* OptionOf(std::string_view name) {
  const auto found = std::find_if(std::begin(kOptions), std::end(kOptions),
                                  [&](const SubmitOption& option) { return option.name == name; });
  return found == std::end(kOptions) ? nullptr : found;
}

struct Command {
  std::vector<std::pair<std::string, std::string>> settings;  // the effective value of each comes first
  std::string application;                                    // jar or script
  Names late;                                                 // options of spark-submit after the application
  Names after_commas;                                         // words cut off from a list by a blank after a comma
  Names dashes;                                               // words that begin with a dash other than "-"
  Names without_equals;                                       // values of --conf
};

Command CommandOf(const Names& words) {
  Command command;
  std::vector<std::pair<std::string, std::string>> options, settings;  // in command order
  for (size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, word.starts_with("--") ? equals : std::string::npos);
    const SubmitOption* const option = OptionOf(name);
    const bool has_value = option != nullptr && name.size() < word.size();
    if (!command.application.empty()) {
      if (option != nullptr) command.late.push_back(name);
      continue;
    }
    if (word.starts_with("\u2013") || word.starts_with("\u2014")) command.dashes.push_back(word);
    if (option == nullptr) {
      // Accepts flags, options of other releases, variables and placeholders.
      if (word.empty() || std::string_view("-$<[{").find(word[0]) != std::string_view::npos) continue;
      const bool follows_comma = at > 0 && words[at - 1].ends_with(',');
      if (follows_comma) command.after_commas.push_back(word);
      command.application = word;
      continue;
    }
    if (!has_value && at + 1 == words.size()) break;
    const std::string value = has_value ? word.substr(equals + 1) : words[++at];
    if (!option->setting.empty()) options.emplace_back(option->setting, value);
    if (name != "--conf" && name != "-c") continue;
    const size_t end = value.find('=');
    if (end == std::string::npos) {
      command.without_equals.push_back(value);
    } else {
      settings.emplace_back(value.substr(0, end), value.substr(end + 1));
    }
  }
  // Options override --conf, and later options override earlier ones; SettingOf returns the first match.
  command.settings.assign(options.rbegin(), options.rend());
  command.settings.insert(command.settings.end(), settings.rbegin(), settings.rend());
  return command;
}

class CommandRules {
 public:
  CommandRules(const Command& command, FragmentAnswer* answer)
      : command_(command), application_(answer->application), answer_(answer) {}

  void Check() {
    CheckWords();
    CheckUnits();
    CheckAllocation();
    CheckPlace();
    CheckTimeouts();
    CheckHeapOptions();
    CheckStreams();
  }

 private:
  std::string_view ValueOf(std::string_view name) const { return SettingOf(application_, name).value_or(""); }
  bool IsSet(std::string_view name) const { return SettingOf(application_, name).has_value(); }

  void Add(std::string title, std::string what, std::string change, std::string evidence = {}) {
    Finding& finding = AddFinding("settings", std::move(title), answer_);
    finding.what = std::move(what);
    finding.evidence = std::move(evidence);
    finding.condition = "Settings of a command that contradict each other or that Spark does not use as meant";
    finding.change = std::move(change);
    finding.confidence = 1;
  }

  void CheckWords() {
    if (!command_.late.empty())
      Add(fmt::format("{} {} behind the application", fmt::join(command_.late, ", "),
                      command_.late.size() == 1 ? "stands" : "stand"),
          "spark-submit gives everything behind the jar or script to the program, so these options have no effect on "
          "Spark",
          fmt::format("Move the options before {}", command_.application));
    if (!command_.after_commas.empty())
      Add("A list of files has a blank behind a comma",
          fmt::format("The shell divides the list there, so spark-submit takes {} as the application",
                      command_.after_commas.front()),
          "Remove the blank, or quote the list");
    if (!command_.dashes.empty())
      Add("An option begins with a long dash",
          "A word processor or chat replaced \"--\", so spark-submit does not read it as an option",
          "Type the two hyphens again", fmt::format("{}", fmt::join(command_.dashes, ", ")));
    if (!command_.without_equals.empty())
      Add("A --conf has no \"=\"", "spark-submit refuses a setting without its value",
          "Write --conf KEY=VALUE, in quotes if the value has blanks",
          fmt::format("{}", fmt::join(command_.without_equals, ", ")));
  }

  // Spark reads a number without a unit as MiB, and rejects a heap below 450 MiB.
  void CheckUnits() {
    constexpr int64_t kLeastHeap = 471'859'200;
    for (const std::string_view name : {"spark.executor.memory", "spark.driver.memory"}) {
      const auto bytes = MemorySetting(application_, name);
      if (!bytes || *bytes >= kLeastHeap) continue;
      const bool has_unit = !IsDigits(ValueOf(name));
      Add(fmt::format("{}={} is {}", name, ValueOf(name), FormatBytes(*bytes)),
          fmt::format("{}Spark refuses a heap of less than 450 MiB",
                      has_unit ? "" : "A number without a unit is in MiB. "),
          has_unit ? "Set it to 1g or more" : fmt::format("Write the unit, such as {}g", ValueOf(name)));
    }
    const auto tasks = ParseInteger(ValueOf("spark.task.cpus")), cores = ParseInteger(ValueOf("spark.executor.cores"));
    if (tasks && cores && *tasks > *cores)
      Add(fmt::format("A task needs {} cores, and an executor has {}", *tasks, *cores), "No task can ever run",
          "Set spark.task.cpus to at most spark.executor.cores");
    if (IsEnabled(application_, "spark.memory.offHeap.enabled") && !IsSet("spark.memory.offHeap.size"))
      Add("Off-heap memory has no size", "spark.memory.offHeap.enabled needs a size above 0, or Spark does not start",
          "Set spark.memory.offHeap.size, unless spark-defaults.conf does");
    // This setting is in bytes without a unit.
    const std::string_view limit = ValueOf("spark.driver.maxResultSize");
    const auto result =
        IsDigits(limit) ? ParseInteger(limit) : MemorySetting(application_, "spark.driver.maxResultSize");
    const auto driver = MemorySetting(application_, "spark.driver.memory");
    if (result && driver && *result >= *driver)
      Add(fmt::format("spark.driver.maxResultSize={} is no less than the driver's heap of {}", limit,
                      FormatBytes(*driver)),
          "The limit cannot protect the driver: results of that size fill its heap, with their objects before that",
          "Set it to at most half of spark.driver.memory, and write large results instead of collecting them");
  }

  void CheckAllocation() {
    if (IsLocal(application_) || !IsEnabled(application_, "spark.dynamicAllocation.enabled")) return;
    const bool has_tracking = ValueOf("spark.dynamicAllocation.shuffleTracking.enabled") == "true";
    const bool is_untracked = ValueOf("spark.dynamicAllocation.shuffleTracking.enabled") == "false";
    const bool has_service = IsEnabled(application_, "spark.shuffle.service.enabled");
    const bool has_migration = IsEnabled(application_, "spark.decommission.enabled") &&
                               IsEnabled(application_, "spark.storage.decommission.shuffleBlocks.enabled");
    if (application_.master.starts_with("k8s") && has_service)
      Add("Kubernetes has no external shuffle service",
          "Executors register with a shuffle service on their host, which does not run there",
          "Remove spark.shuffle.service.enabled, and set spark.dynamicAllocation.shuffleTracking.enabled=true");
    else if (!has_service && !has_tracking && !has_migration)
      Add("Dynamic allocation has nothing that keeps shuffle data",
          is_untracked ? "Without a shuffle service and without tracking, Spark does not start"
                       : "Spark before 3.4 does not start without a shuffle service or "
                         "spark.dynamicAllocation.shuffleTracking.enabled, which later ones set by themselves",
          "Set spark.dynamicAllocation.shuffleTracking.enabled=true, or run the external shuffle service and set "
          "spark.shuffle.service.enabled=true, unless spark-defaults.conf does");
    const auto most = ParseInteger(ValueOf("spark.dynamicAllocation.maxExecutors")),
               least = ParseInteger(ValueOf("spark.dynamicAllocation.minExecutors"));
    if (most && least && *least > *most)
      Add(fmt::format("minExecutors={} is above maxExecutors={}", *least, *most), "Spark does not start",
          "Correct one of them");
    if (IsSet("spark.executor.instances"))
      answer_->facts.push_back(fmt::format("With dynamic allocation, {} executors are only those at the start",
                                           ValueOf("spark.executor.instances")));
  }

  void CheckPlace() {
    if (!IsLocal(application_)) return;
    if (ValueOf("spark.submit.deployMode") == "cluster")
      Add("A local master cannot run in cluster mode", "spark-submit refuses it",
          "Remove --deploy-mode cluster, or name the cluster's master");
    Names without_effect;
    for (const std::string_view name : {"spark.executor.memory", "spark.executor.cores", "spark.executor.instances",
                                        "spark.executor.memoryOverhead", "spark.dynamicAllocation.enabled"})
      if (IsSet(name)) without_effect.emplace_back(name);
    if (!without_effect.empty())
      Add(fmt::format("Settings of executors have no effect with --master {}", application_.master),
          "Tasks run in the driver, in its heap, on as many cores as the master names",
          "Set --driver-memory and local[N] instead", fmt::format("{}", fmt::join(without_effect, ", ")));
  }

  void CheckTimeouts() {
    constexpr int64_t kTooLongNs = 6 * 3600 * kNanosPerSecond;
    constexpr int64_t kDefaultNs = 120 * kNanosPerSecond;
    const auto timeout = DurationSetting(application_, "spark.network.timeout");
    if (timeout && *timeout > kTooLongNs)
      Add(fmt::format("spark.network.timeout={} is {}", ValueOf("spark.network.timeout"), FormatDuration(*timeout)),
          "A number without a unit is in seconds. Spark does not notice for that long that an executor is gone, so a "
          "lost one looks like a job that hangs",
          "Set spark.network.timeout to 120s to 800s, and find what takes longer: GC, or a host that is too busy");
    // The interval is in milliseconds without a unit.
    const std::string_view text = ValueOf("spark.executor.heartbeatInterval");
    auto interval = DurationSetting(application_, "spark.executor.heartbeatInterval");
    if (const auto millis = ParseInteger(text); millis && *millis >= 0)
      interval = std::min(*millis, INT64_MAX / kNanosPerMilli) * kNanosPerMilli;
    if (interval && *interval >= timeout.value_or(kDefaultNs))
      Add(fmt::format("Executors report every {}, and are taken as lost after {}", FormatDuration(*interval),
                      FormatDuration(timeout.value_or(kDefaultNs))),
          "spark.executor.heartbeatInterval must be much shorter than spark.network.timeout; Spark refuses the reverse",
          "Remove spark.executor.heartbeatInterval (10s)");
  }

  void CheckHeapOptions() {
    for (const std::string_view name : {"spark.executor.extraJavaOptions", "spark.driver.extraJavaOptions"}) {
      if (ValueOf(name).find("-Xmx") == std::string_view::npos) continue;
      const std::string_view memory =
          name.starts_with("spark.driver") ? "spark.driver.memory" : "spark.executor.memory";
      Add(fmt::format("-Xmx in {}", name), "Spark sets the size of the heap itself, and refuses this option",
          fmt::format("Set {} instead", memory));
    }
  }

  void CheckStreams() {
    Names streams;
    for (const auto& [name, value] : command_.settings)
      if (name.starts_with("spark.streaming.kafka.") || name == "spark.streaming.backpressure.enabled" ||
          name == "spark.streaming.receiver.maxRate")
        streams.push_back(name);
    if (!streams.empty())
      Add(fmt::format("{} {} only DStreams", fmt::join(streams, ", "), streams.size() == 1 ? "limits" : "limit"),
          "Structured Streaming does not read these settings, so its batches have no limit by them",
          "For Structured Streaming, set the option maxOffsetsPerTrigger (or maxFilesPerTrigger) of the source");
  }

  const Command& command_;
  const Application& application_;
  FragmentAnswer* answer_;
};

// "4 executors of 4 cores and 4.4 GiB (4.0 GiB heap, 410 MiB overhead)".
std::string ExecutorsText(const Application& application) {
  const auto number = [&](std::string_view name) {
    return SettingOf(application, name) ? ParseInteger(*SettingOf(application, name)) : std::nullopt;
  };
  const auto heap = MemorySetting(application, "spark.executor.memory");
  const auto cores = number("spark.executor.cores"), executors = number("spark.executor.instances");
  Names parts;
  if (cores && *cores > 0) parts.push_back(Counted(*cores, "core"));
  if (heap && *heap > 0 && application.master.starts_with("spark://")) {
    parts.push_back(fmt::format("{} heap", FormatBytes(*heap)));  // standalone workers reserve the heap only
  } else if (heap && *heap > 0) {
    const int64_t overhead = OverheadOf(application, *heap);
    parts.push_back(fmt::format("{} ({} heap, {} overhead{})", FormatBytes(*heap + overhead), FormatBytes(*heap),
                                FormatBytes(overhead),
                                SettingOf(application, "spark.executor.memoryOverhead") ? "" : " by default"));
  }
  if (parts.empty()) return {};
  const std::string of = fmt::format("of {}", fmt::join(parts, " and "));
  return executors && *executors > 0 ? fmt::format("{} {}", Counted(*executors, "executor"), of)
                                     : fmt::format("executors {}", of);
}

void AddFacts(const Application& application, FragmentAnswer* answer) {
  const auto number = [&](std::string_view name) {
    const auto value = SettingOf(application, name);
    return value ? ParseInteger(*value).value_or(0) : 0;
  };
  const int64_t cores = number("spark.executor.cores"), executors = number("spark.executor.instances"),
                cpus = std::max<int64_t>(1, number("spark.task.cpus"));
  const auto heap = MemorySetting(application, "spark.executor.memory");
  if (cores > 0 && executors > 0 && cores / cpus < INT64_MAX / executors)
    answer->facts.push_back(fmt::format("{} at once", Counted(cores / cpus * executors, "task")));
  if (heap && cores >= cpus)
    answer->facts.push_back(fmt::format("{} of heap for each task of an executor that is busy",
                                        FormatBytes(*heap / std::max<int64_t>(1, cores / cpus))));
  if (const auto driver = MemorySetting(application, "spark.driver.memory"))
    answer->facts.push_back(fmt::format("{} of heap for the driver", FormatBytes(*driver)));
  if (SettingOf(application, "spark.default.parallelism") && !SettingOf(application, "spark.sql.shuffle.partitions"))
    answer->facts.push_back(
        "spark.default.parallelism is for RDDs; shuffles of queries have spark.sql.shuffle.partitions");
  answer->facts.push_back("Settings of spark-defaults.conf and of the program are not in the command");
}

}  // namespace

std::string AnswerSubmitCommand(std::string_view text, FragmentAnswer* answer) {
  const Command command = CommandOf(WordsOfCommand(text, "spark-submit"));
  Application& application = answer->application;
  auto& settings = application.environment.emplace_back("Spark", command.settings).second;
  application.master = SettingOf(application, "spark.master").value_or("");
  // Kubernetes uses this default for Python and R programs in cluster mode.
  const bool is_script = command.application.ends_with(".py") || command.application.ends_with(".R");
  if (is_script && application.master.starts_with("k8s") &&
      SettingOf(application, "spark.submit.deployMode") == std::string_view("cluster"))
    settings.emplace_back("spark.kubernetes.memoryOverheadFactor", "0.4");
  AddFacts(application, answer);
  CommandRules(command, answer).Check();
  const std::string executors = ExecutorsText(application);
  if (!executors.empty() && !IsLocal(application)) return executors;
  return application.master.empty() ? std::string() : fmt::format("master {}", application.master);
}

}  // namespace sparkprof
