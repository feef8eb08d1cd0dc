// SPDX-License-Identifier: Apache-2.0
#include "launch/submit_command.h"

#include <fmt/format.h>
#include <re2/re2.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/io/file.h"
#include "base/text/escaped_text.h"
#include "base/text/text.h"
#include "launch/submit_options.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

using Environment = std::map<std::string, std::string>;

constexpr char kPlugins[] = "spark.plugins";
constexpr char kPluginsBefore[] = "spark.plugins.defaultList";
constexpr char kJars[] = "spark.jars";
constexpr char kMaster[] = "spark.master";
constexpr char kDriverClassPath[] = "spark.driver.extraClassPath";
constexpr char kExecutorClassPath[] = "spark.executor.extraClassPath";
constexpr char kSubmitArguments[] = "PYSPARK_SUBMIT_ARGS";
constexpr char kClassPath[] = "SPARK_DIST_CLASSPATH";
constexpr char kSystemProperties[] = "SPARK_SUBMIT_OPTS";

// Settings with their own option, which takes precedence over --conf.
constexpr auto kOptionKeys = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{kJars, "--jars"},
     {kDriverClassPath, "--driver-class-path"},
     {kMaster, "--master"},
     {"spark.submit.deployMode", "--deploy-mode"},
     {"spark.app.name", "--name"},
     {"spark.kerberos.principal", "--principal"},
     {"spark.remote", "--remote"},
     {"spark.driver.memory", "--driver-memory"},
     {"spark.driver.cores", "--driver-cores"},
     {"spark.driver.extraJavaOptions", "--driver-java-options"},
     {"spark.executor.memory", "--executor-memory"},
     {"spark.executor.cores", "--executor-cores"},
     {"spark.executor.instances", "--num-executors"},
     {"spark.cores.max", "--total-executor-cores"},
     {"spark.yarn.queue", "--queue"}});

// Programs that run another program named in their arguments.
constexpr auto kPrefixPrograms =
    std::to_array<std::string_view>({"chrt", "conda", "env", "ionice", "micromamba", "nice", "nohup", "numactl", "pdm",
                                     "pipenv", "poetry", "stdbuf", "sudo", "taskset", "time", "timeout", "uv"});

std::string SubmitVariable(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

std::string BaseName(const std::string& program) { return fs::path(program).filename(); }

bool IsShell(const std::string& program) {
  static const RE2 kShells(R"((spark[0-9.]*-(shell|sql)|pyspark[0-9.]*|sparkR))");
  return RE2::FullMatch(BaseName(program), kShells);
}

bool IsSubmit(const std::string& program) {
  static const RE2 kSubmits(R"(spark[0-9.]*-submit|run-example)");
  return IsShell(program) || RE2::FullMatch(BaseName(program), kSubmits);
}

// A parsed command. `arguments` are those of spark-submit: after `program`, or the words of PYSPARK_SUBMIT_ARGS.
struct Parts {
  bool submit = false;
  size_t program = 0;  // index of the program that starts Spark
  std::vector<std::string> arguments;
  SubmitArguments options;
  bool jar_by_class_path = false;
  std::string home;
  std::map<std::string, FoundSetting> settings;
};

std::map<std::string, FoundSetting> ReadSettings(const Parts& parts, const Environment& environment);

std::string ConfFolder(const Parts& parts, const Environment& environment) {
  const std::string folder = SubmitVariable(environment, "SPARK_CONF_DIR");
  if (!folder.empty() || parts.home.empty()) return folder;
  return parts.home + "/conf";
}

// Whether spark-env.sh overwrites the class path, so that it cannot contain the jar.
bool ClassPathIsTaken(const Parts& parts, const Environment& environment) {
  const std::string folder = ConfFolder(parts, environment);
  const auto script = folder.empty() ? Fail("") : ReadFile(folder + "/spark-env.sh");
  if (!script) return false;
  for (const std::string_view line : Split(*script, '\n')) {
    const bool assigns = RE2::PartialMatch(line, R"(^\s*(export\s+)?SPARK_DIST_CLASSPATH=)");
    if (assigns && !RE2::PartialMatch(line, R"(\$\{?SPARK_DIST_CLASSPATH)")) return true;
  }
  return false;
}

Result<Parts> TakeApart(const SubmitRequest& request) {
  Parts parts;
  const std::vector<std::string>& command = request.command;
  const auto prefixes = std::find(kPrefixPrograms.begin(), kPrefixPrograms.end(), BaseName(command[0]));
  if (prefixes != kPrefixPrograms.end()) {
    const auto found = std::find_if(command.begin() + 1, command.end(), IsSubmit);
    if (found != command.end()) parts.program = static_cast<size_t>(found - command.begin());
  }
  const std::string& program = command[parts.program];
  parts.submit = IsSubmit(program);
  parts.home = FindSparkHome(program, request.environment);
  if (parts.submit) {
    parts.arguments.assign(command.begin() + static_cast<std::ptrdiff_t>(parts.program) + 1, command.end());
    // bin/run-example passes its own jars with --jars, which a second --jars would replace.
    parts.jar_by_class_path = BaseName(program) == "run-example";
  } else {
    const std::string text = SubmitVariable(request.environment, kSubmitArguments);
    auto words = SplitWords(text);
    if (!words) return Fail(fmt::format("{}={}: {}", kSubmitArguments, text, words.error().message));
    parts.arguments = std::move(*words);
    parts.jar_by_class_path = true;
  }
  parts.options = ParseSubmitArguments(parts.arguments, 0, IsShell(program));
  // Without arguments, spark-submit prints its usage.
  if (parts.submit && parts.arguments.empty() && !IsShell(program)) parts.options.runs_job = false;
  parts.jar_by_class_path = parts.jar_by_class_path && !ClassPathIsTaken(parts, request.environment);
  parts.settings = ReadSettings(parts, request.environment);
  return parts;
}

// Whether Spark's launcher reads it, for which the last of several options counts.
bool IsForLauncher(std::string_view key) {
  return key == kDriverClassPath || key == "spark.driver.memory" || key == "spark.driver.extraJavaOptions";
}

// The command-line option that determines a setting: its own option takes precedence over --conf.
const SubmitOption* Deciding(const SubmitArguments& options, const std::string& key) {
  const SubmitOption* conf = options.FindConf(key);
  for (const auto& [own_key, name] : kOptionKeys) {
    const SubmitOption* own = own_key == key ? options.Find(name) : nullptr;
    if (own == nullptr) continue;
    return IsForLauncher(key) && conf != nullptr && conf->index > own->index ? conf : own;
  }
  return conf;
}

void AddFile(const std::string& path, std::map<std::string, FoundSetting>& settings) {
  const auto text = ReadFile(path);
  if (!text) return;  // Spark itself reports a missing required file.
  for (auto& [key, value] : ParseProperties(*text)) settings[key] = {value, path};
}

void AddSystemProperties(const Environment& environment, std::map<std::string, FoundSetting>& settings) {
  const auto words = SplitWords(SubmitVariable(environment, kSystemProperties));
  if (!words) return;
  for (const std::string& word : *words) {
    if (!word.starts_with("-Dspark.")) continue;
    if (const auto property = SplitConf(std::string_view(word).substr(2))) {
      settings[std::string(property->first)] = {std::string(property->second), kSystemProperties};
    }
  }
}

// Precedence as in SparkSubmitArguments: command line, --properties-file, spark-defaults.conf (without
// --properties-file, or with --load-spark-defaults), then the JVM's system properties.
std::map<std::string, FoundSetting> ReadSettings(const Parts& parts, const Environment& environment) {
  std::map<std::string, FoundSetting> settings;
  AddSystemProperties(environment, settings);
  const SubmitOption* file = parts.options.Find("--properties-file");
  const std::string folder = ConfFolder(parts, environment);
  if (!folder.empty() && (file == nullptr || parts.options.load_spark_defaults)) {
    AddFile(folder + "/spark-defaults.conf", settings);
  }
  if (file != nullptr) AddFile(file->value, settings);
  for (const SubmitOption& option : parts.options.options) {
    if (option.name != "--conf") continue;
    if (const auto conf = SplitConf(option.value)) {
      settings[std::string(conf->first)] = {std::string(conf->second), option.name};
    }
  }
  for (const auto& [key, name] : kOptionKeys) {
    const SubmitOption* option = parts.options.Find(name);
    if (option != nullptr && option == Deciding(parts.options, std::string(key))) {
      settings[std::string(key)] = {option->value, option->name};
    }
  }
  return settings;
}

std::string Effective(const Parts& parts, const std::string& key) {
  const auto found = parts.settings.find(key);
  return found == parts.settings.end() ? "" : found->second.value;
}

bool ListHas(const std::string& list, const auto& matches) {
  const auto items = Split(list, ',');
  return std::any_of(items.begin(), items.end(), [&](std::string_view item) { return matches(Trim(item)); });
}

std::string Append(const std::string& list, const std::string& item, char separator = ',') {
  return Trim(list).empty() ? item : list + separator + item;
}

// Collects changes to spark-submit's arguments: settings on the command line are changed in place, others are inserted
// in front, where they are always options.
class Changes {
 public:
  explicit Changes(Parts& parts) : parts_(parts) {}

  void Set(const std::string& key, const std::string& value) {
    if (const SubmitOption* option = Deciding(parts_.options, key)) {
      const std::string conf = option->name == "--conf" ? key + "=" : "";
      parts_.arguments[option->index] = option->before + conf + value;
      in_place_ = true;
    } else {
      front_.insert(front_.end(), {"--conf", key + "=" + value});
    }
  }

  bool InPlace() const { return in_place_; }
  const std::vector<std::string>& Front() const { return front_; }

 private:
  Parts& parts_;
  std::vector<std::string> front_;
  bool in_place_ = false;
};

// Formats a jar in a list: a plain path, or a URI if the path has special characters.
std::string JarLocation(const std::string& path) {
  static const RE2 kPlain(R"([A-Za-z0-9/._+@=~-]+)");
  if (RE2::FullMatch(path, kPlain)) return path;
  std::string uri = "file://";
  for (const char c : path) {
    if (RE2::FullMatch(std::string_view(&c, 1), kPlain)) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

// Whether a driver that spark-submit starts on this machine gets the jar through its class path. Spark copies each jar
// of spark.jars into the temporary folder of a local executor, and the job fails if that is full. A cluster's executors
// fetch the jar from spark.jars; if the master is set in the job's code, OwnJar.java distributes it.
bool DriverHasClassPath(const SubmitRequest& request, const Parts& parts) {
  const std::string master = Effective(parts, kMaster);
  const bool is_local = master.empty() || master.starts_with("local");
  const bool fits = request.plugin_jar.find_first_of(":*") == std::string::npos;
  return parts.submit && is_local && fits && Effective(parts, "spark.submit.deployMode") != "cluster";
}

void AddToClassPath(const std::string& key, const std::string& jar, Parts& parts, Changes& changes) {
  changes.Set(key, Append(Effective(parts, key), jar, ':'));
}

void AddPluginAndJar(const SubmitRequest& request, Parts& parts, Changes& changes, SubmitCommand& result) {
  const auto is_plugin = [](std::string_view item) { return item == kPluginClass; };
  const std::string before = Effective(parts, kPluginsBefore);
  if (!ListHas(before, is_plugin) && !ListHas(Effective(parts, kPlugins), is_plugin)) {
    changes.Set(kPluginsBefore, Append(before, kPluginClass));
  }
  const std::string name = BaseName(request.plugin_jar);
  const auto is_jar = [&](std::string_view item) { return item == name || item.ends_with("/" + name); };
  const std::string jars = Effective(parts, kJars);
  if (ListHas(jars, is_jar)) return;
  if (parts.jar_by_class_path) {
    const std::string path = SubmitVariable(request.environment, kClassPath);
    result.environment[kClassPath] = path.empty() ? request.plugin_jar : path + ":" + request.plugin_jar;
  } else if (DriverHasClassPath(request, parts)) {
    AddToClassPath(kDriverClassPath, request.plugin_jar, parts, changes);
    // The executors of a local cluster are local processes.
    if (Effective(parts, kMaster).starts_with("local-cluster")) {
      AddToClassPath(kExecutorClassPath, request.plugin_jar, parts, changes);
    }
  } else {
    changes.Set(kJars, Append(jars, JarLocation(request.plugin_jar)));
  }
}

std::string JoinWords(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + ShellWord(word);
  return text;
}

// Keeps the user's text unless one of its words changes.
std::string SubmitArgumentsText(const Parts& parts, const Changes& changes, const std::string& before) {
  std::string text = changes.InPlace() ? JoinWords(parts.arguments) : std::string(Trim(before));
  if (text.empty()) text = "pyspark-shell";
  return changes.Front().empty() ? text : JoinWords(changes.Front()) + " " + text;
}

Result<SubmitCommand> WithChanges(const SubmitRequest& request, bool adds_plugin) {
  auto parts = TakeApart(request);
  if (!parts) return tl::unexpected(parts.error());
  SubmitCommand result;
  result.command = request.command;
  if (!parts->options.runs_job) {
    result.launcher = Launcher::kNoJob;
    return result;
  }
  Changes changes(*parts);
  if (adds_plugin) AddPluginAndJar(request, *parts, changes, result);
  for (const auto& [key, value] : request.settings) changes.Set(key, value);
  if (!parts->submit) {
    result.environment[kSubmitArguments] =
        SubmitArgumentsText(*parts, changes, SubmitVariable(request.environment, kSubmitArguments));
    return result;
  }
  result.launcher = Launcher::kSubmit;
  result.command.resize(parts->program + 1);
  result.command.insert(result.command.end(), changes.Front().begin(), changes.Front().end());
  result.command.insert(result.command.end(), parts->arguments.begin(), parts->arguments.end());
  return result;
}

}  // namespace

std::map<std::string, std::string> ProcessEnvironment() {
  std::map<std::string, std::string> environment;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const size_t equals = text.find('=');
    if (equals != std::string_view::npos) environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

Result<SubmitCommand> AddPlugin(const SubmitRequest& request) { return WithChanges(request, true); }

Result<SubmitCommand> SetSettings(const SubmitRequest& request) { return WithChanges(request, false); }

Launcher FindLauncher(const SubmitRequest& request) {
  const auto parts = TakeApart(request);
  if (!parts) return Launcher::kSession;
  return !parts->options.runs_job ? Launcher::kNoJob : parts->submit ? Launcher::kSubmit : Launcher::kSession;
}

std::map<std::string, FoundSetting> FindSettings(const SubmitRequest& request) {
  auto parts = TakeApart(request);
  return parts ? std::move(parts->settings) : std::map<std::string, FoundSetting>();
}

std::string FindSetting(const SubmitRequest& request, const std::string& key) {
  const auto settings = FindSettings(request);
  const auto found = settings.find(key);
  return found == settings.end() ? "" : found->second.value;
}

SubmitProgram FindSubmitProgram(const SubmitRequest& request) {
  auto parts = TakeApart(request);
  if (!parts) return {};
  const std::string& program = request.command[parts->program];
  SubmitProgram found{"", std::move(parts->arguments), IsShell(program)};
  std::error_code error;
  const std::string beside = parts->home + "/bin/spark-submit";
  if (!parts->home.empty() && fs::exists(beside, error)) {
    found.path = beside;
  } else if (parts->submit && !IsShell(program)) {
    found.path = program;
  }
  return found;
}

bool IsClusterMode(const SubmitRequest& request) {
  return FindSetting(request, "spark.submit.deployMode") == "cluster";
}

std::string FindSparkHome(const std::string& program, const Environment& environment) {
  const std::string home = SubmitVariable(environment, "SPARK_HOME");
  if (!home.empty()) return home;
  const fs::path path = FindProgram(program, environment);
  if (path.empty()) return "";
  const fs::path folder = path.parent_path();
  std::error_code error;
  // A Spark distribution's bin/ has no find_spark_home.py; a Python environment's bin/ has.
  if (IsSubmit(program) && !fs::exists(folder / "find_spark_home.py", error)) return folder.parent_path();
  for (const char* library : {"lib", "lib64"}) {
    for (const auto& python : fs::directory_iterator(folder.parent_path() / library, error)) {
      if (!BaseName(python.path()).starts_with("python3")) continue;
      for (const char* packages : {"site-packages", "dist-packages"}) {
        const fs::path package = python.path() / packages / "pyspark";
        if (fs::exists(package / "bin" / "spark-submit", error)) return package;
      }
    }
  }
  return "";
}

std::string FindProgram(const std::string& program, const Environment& environment) {
  std::error_code error;
  if (program.find('/') != std::string::npos) return fs::absolute(program, error).lexically_normal();
  const std::string folders = SubmitVariable(environment, "PATH");
  for (const std::string_view folder : Split(folders, ':')) {
    const fs::path path = fs::path(folder.empty() ? "." : folder) / program;
    if (::access(path.c_str(), X_OK) == 0 && !fs::is_directory(path, error)) return fs::absolute(path, error);
  }
  return "";
}

}  // namespace sparkprof
