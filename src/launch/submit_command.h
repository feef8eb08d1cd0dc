// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sparkprof {

inline constexpr char kPluginClass[] = "org.sparkprof.SparkProfPlugin";

enum class Launcher {
  kSubmit,   // spark-submit or a shell: settings are added to its command line
  kSession,  // a program that builds its own SparkSession: settings are added to PYSPARK_SUBMIT_ARGS
  kNoJob,    // spark-submit --version and the like
};

std::map<std::string, std::string> ProcessEnvironment();

struct SubmitRequest {
  std::vector<std::string> command;                           // as the user wrote it
  std::map<std::string, std::string> environment;             // complete environment
  std::string plugin_jar;                                     // absolute path
  std::vector<std::pair<std::string, std::string>> settings;  // to set, in place of the user's
};

struct SubmitCommand {
  Launcher launcher = Launcher::kSession;
  std::vector<std::string> command;
  std::map<std::string, std::string> environment;  // variables to set; others are unchanged
};

// Adds the profiler to the command. The user's settings (command line, --properties-file, spark-defaults.conf,
// PYSPARK_SUBMIT_ARGS, in Spark's order of precedence) stay in force:
// - The plugin goes into spark.plugins.defaultList, which Spark puts in front of spark.plugins, so the application may
// set spark.plugins in its code.
// - For a local master, or one that is set in the job's code, the jar is appended to the driver's class path, where
// Spark does not copy it. For a cluster it is appended to the list of jars. For a program with its own SparkSession it
// goes to SPARK_DIST_CLASSPATH, because the class path and jars set in its code are unknown here. The plugin
// distributes the jar to executors that do not get it from Spark. A plugin or jar that is already configured is not
// added again. Fails if PYSPARK_SUBMIT_ARGS is invalid.
Result<SubmitCommand> AddPlugin(const SubmitRequest& request);

// Sets the request's settings without the plugin; they replace values on the command line, also of their own options.
Result<SubmitCommand> SetSettings(const SubmitRequest& request);

// How the command starts Spark. Ignores an invalid PYSPARK_SUBMIT_ARGS.
Launcher FindLauncher(const SubmitRequest& request);

// A value of Spark's configuration that is known before the job starts.
struct FoundSetting {
  std::string value;
  std::string place;  // origin of the setting: "--conf", "--jars", a file's path, "SPARK_SUBMIT_OPTS"
};

// Settings by key, in Spark's order of precedence; empty if PYSPARK_SUBMIT_ARGS cannot be parsed. The keys of --master,
// --deploy-mode, --remote and --jars are spark.master, spark.submit.deployMode, spark.remote and spark.jars.
std::map<std::string, FoundSetting> FindSettings(const SubmitRequest& request);

// The value of one setting; empty if it is not set.
std::string FindSetting(const SubmitRequest& request, const std::string& key);

// Whether the driver runs in the cluster.
bool IsClusterMode(const SubmitRequest& request);

// The spark-submit that a command uses, with the arguments that the command passes to Spark.
struct SubmitProgram {
  std::string path;  // empty = unknown
  std::vector<std::string> arguments;
  bool is_shell = false;  // whether options and arguments may be mixed
};
SubmitProgram FindSubmitProgram(const SubmitRequest& request);

// Folder of the Spark that a command starts: SPARK_HOME, else the one the program belongs to. Empty if unknown.
std::string FindSparkHome(const std::string& program, const std::map<std::string, std::string>& environment);

// Full path of a program, searched like execvp. Empty if not found.
std::string FindProgram(const std::string& program, const std::map<std::string, std::string>& environment);

// Parses a spark-defaults.conf or --properties-file like Spark: the syntax of java.util.Properties (comments,
// continuation lines, escapes, "=", ":" or whitespace as separator), trimmed values, only keys that start with
// "spark.", last duplicate wins. The syntax has no errors; an invalid \\u escape is taken literally.
std::map<std::string, std::string> ParseProperties(std::string_view text);

// Splits PYSPARK_SUBMIT_ARGS into words like PySpark (Python's shlex.split: spaces, '…', "…", \). Fails on an
// unterminated quotation, as PySpark does.
Result<std::vector<std::string>> SplitWords(std::string_view text);

}  // namespace sparkprof
