// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/scheduling/driver_work.h"

#include "analysis/findings/rules.h"
#include "analysis/python/driver_lines.h"
#include "analysis/selection/threads.h"
#include "libraries/libraries.h"

namespace sparkprof {
namespace {

constexpr int64_t kLeastPart = 5;  // 1/5 of the time

struct KnownWork {
  std::string_view frame;  // substring of a function's name, or of the file of a Python function
  std::string_view what, change;
};
constexpr KnownWork kKnownWork[] = {
    {"org.apache.spark.sql.catalyst.parser.", "parses SQL",
     "Shorten the text of the queries: join with a table instead of a long list of literals"},
    {"InMemoryFileIndex", "lists files",
     "List the files once: read the folder in one call, name the folders that the job needs, or use a table that knows "
     "its files (Delta, Iceberg)"},
    {"org.apache.spark.sql.hive.", "asks the catalog",
     "Look up a table once, and read only the partitions that the job needs"},
    {"org.apache.spark.sql.catalyst.analysis.Analyzer", "analyzes plans",
     "Make all columns in one select() or withColumns(): each call of withColumn(), select() or union() in a loop "
     "makes a new plan and analyzes all of it again"},
    {"org.apache.spark.sql.catalyst.optimizer.", "optimizes plans",
     "Make the plan smaller: fewer columns, unions and joins in one query, or write an intermediate result to a table"},
    {"/pyspark/sql/session.py", "converts local rows",
     "Let Spark read the data: spark.read.csv(), json() or parquet() with a schema, instead of createDataFrame() on a "
     "list of rows. If Python makes the rows, pass a pandas DataFrame, with "
     "spark.sql.execution.arrow.pyspark.enabled=true"},
    {"/py4j/", "passes objects to the JVM one by one",
     "Pass them at once: one call with a list or a file, createDataFrame() from pandas with Arrow, or a join with a "
     "table instead of a list of literals"}};

// The innermost known work in a stack; null if there is none.
const KnownWork* WorkIn(const Profile& profile, StackId stack) {
  for (; stack != 0; stack = profile.stacks.Get(stack).parent) {
    const Frame& frame = profile.frames.Get(profile.stacks.Get(stack).frame);
    const std::string_view name = profile.strings.Get(frame.name), file = profile.strings.Get(frame.file);
    for (const KnownWork& known : kKnownWork) {
      const std::string_view text = frame.kind == FrameKind::kPython ? file : name;
      if (Contains(text, known.frame)) return &known;
    }
  }
  return nullptr;
}

// The operation of the library that takes the most of the stacks, with its time.
std::pair<std::string, int64_t> MostOfLibraries(const Profile& profile, const std::map<StackId, int64_t>& stacks) {
  std::map<std::string, int64_t> by_operation;
  for (const auto& [leaf, weight] : stacks) {
    std::string frames;  // from the innermost frame of a library
    for (StackId stack = leaf; stack != 0; stack = profile.stacks.Get(stack).parent) {
      const std::string_view name = profile.strings.Get(profile.frames.Get(profile.stacks.Get(stack).frame).name);
      if (frames.empty() && !IsOfLibrary(name)) continue;
      frames.append(name).append("\n");
    }
    if (const std::optional<LibraryCall> call = LibraryCallIn(frames))
      by_operation[fmt::format("{}: {}", call->library, call->operation)] += weight;
  }
  const auto most = LargestEntry(by_operation);
  if (most == by_operation.end()) return {};
  return *most;
}

// True for each stack that loads or defines a class.
std::vector<bool> LoadsClass(const Profile& profile) {
  std::vector<bool> loads(profile.stacks.Size());
  for (StackId stack = 1; stack < profile.stacks.Size(); ++stack) {
    const StackTable::Node& node = profile.stacks.Get(stack);
    const std::string_view name = profile.strings.Get(profile.frames.Get(node.frame).name);
    loads[stack] = loads[node.parent] || name.ends_with("ClassLoader.loadClass") || name == "java.lang.Class.forName0";
  }
  return loads;
}

constexpr int64_t kShortJobNs = 120 * kNanosPerSecond;  // longer applications are warm most of the time

struct WarmUp {
  int64_t cpu_ns = 0;
  int64_t jit_ns = 0;
  int64_t classes_ns = 0;
};

WarmUp WarmUpOf(const FindingInput& input) {
  const Profile& profile = input.application.profile;
  const EventId cpu = profile.Row(Event::kCpu);
  const std::vector<bool> loads_class = LoadsClass(profile);
  WarmUp spent;
  for (const Sample& sample : profile.samples) {
    if (sample.event != cpu) continue;
    spent.cpu_ns += sample.weight;
    if (input.kinds[sample.stack] == StackKind::kJit) {
      spent.jit_ns += sample.weight;
    } else if (loads_class[sample.stack]) {
      spent.classes_ns += sample.weight;
    }
  }
  return spent;
}

}  // namespace

DriverWork WorkOfLibrary(const std::string& operation) {
  return {fmt::format("{} computes on the driver", operation),
          "Its algorithm works on one machine here, with code that is not yours: give it less (fewer columns, rows, "
          "iterations, a smaller k), or choose another solver or algorithm of the library that computes in tasks",
          false, true};
}

std::optional<DriverWork> WorkForProgram(const Application& application, int64_t time_ns,
                                         const std::function<bool(int64_t time_ns)>& is_chosen) {
  const Profile& profile = application.profile;
  const EventId cpu = profile.Row(Event::kCpu);
  const std::vector<bool> loads_class = LoadsClass(profile);
  const std::vector<ThreadKind> kinds = KindsOfThreads(application);
  std::map<StackId, int64_t> stacks;
  int64_t start_ns = 0;
  for (const Sample& sample : profile.samples) {
    if (sample.event != cpu || sample.task != 0 || !is_chosen(sample.time_ns)) continue;
    const int32_t executor = application.ExecutorOf(sample);
    if (executor < 0 || application.executors[static_cast<size_t>(executor)].id != "driver") continue;
    const bool is_start = kinds[sample.thread] == ThreadKind::kJit || loads_class[sample.stack];
    AddSaturated(sample.weight, is_start ? &start_ns : &stacks[sample.stack]);
  }
  const DriverPrograms programs(application);
  for (const Sample& sample : application.python_samples) {
    if (sample.event == cpu && is_chosen(sample.time_ns) && programs.Has(sample)) stacks[sample.stack] += sample.weight;
  }
  std::map<const KnownWork*, int64_t> by_work;
  for (const auto& [stack, weight] : stacks) {
    if (const KnownWork* const known = WorkIn(profile, stack)) by_work[known] += weight;
  }
  const auto most = LargestEntry(by_work);
  const auto is_much = [&](int64_t ns) { return ns > 0 && kLeastPart * ns >= time_ns; };
  if (most != by_work.end() && is_much(most->second))
    return DriverWork{fmt::format("Spark {}", most->first->what), std::string(most->first->change)};
  if (const auto [operation, ns] = MostOfLibraries(profile, stacks); is_much(ns)) return WorkOfLibrary(operation);
  // JIT compilers run beside the program: they are what it waits for only if they take more CPU time than all the rest.
  int64_t other_ns = 0;
  for (const auto& [stack, weight] : stacks) AddSaturated(weight, &other_ns);
  if (2 * start_ns < time_ns || start_ns < other_ns) return std::nullopt;
  return DriverWork{"Spark loads and compiles classes",
                    "Run several short jobs in one application, or keep a Spark Connect server running", true};
}

std::optional<Finding> FindWarmUp(const FindingInput& input) {
  // A sample without tasks belongs to another program, whose warm-up does not depend on Spark.
  if (input.application.tasks.Size() == 0 || input.duration_ns > kShortJobNs) return std::nullopt;
  const WarmUp spent = WarmUpOf(input);
  const double share = Share(spent.jit_ns + spent.classes_ns, spent.cpu_ns);
  if (spent.jit_ns + spent.classes_ns < kWorthwhileNs || share < kMostOfCode) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("The JVMs spend {} of their CPU time on warming up", FormatShare(share));
  finding.is_context = true;
  finding.what =
      fmt::format("Compiling code took {} and loading classes {} of {} CPU time", FormatDuration(spent.jit_ns),
                  FormatDuration(spent.classes_ns), FormatDuration(spent.cpu_ns));
  finding.evidence = "CPU samples of compiler threads, and of stacks that load classes";
  finding.condition = fmt::format(
      "In an application of at most {}, compiling and loading classes take at least {} of the JVMs' CPU time",
      FormatDuration(kShortJobNs), FormatShare(kMostOfCode));
  finding.selection.event = EventName(Event::kCpu);
  finding.change =
      "Run several short jobs in one application, or keep a Spark Connect server running. One long job is not affected";
  return finding;
}

}  // namespace sparkprof
