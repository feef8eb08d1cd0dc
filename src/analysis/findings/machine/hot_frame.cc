// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/python/python_work.h"
#include "analysis/findings/rules.h"
#include "analysis/findings/scheduling/stage_tasks.h"
#include "profiles/frame_weights.h"

namespace sparkprof {
namespace {

// Code of the JDK that is expensive per row, in SQL functions and in the user's code.
struct CostlyCode {
  std::string_view classes;  // prefix of function names
  const char* what;          // begins with a verb
  double least_share;        // share of CPU time
  Removal removal;
  const char* change;
};
constexpr char kCheaperPatterns[] =
    "Write patterns that do not backtrack: no nested or adjacent repetitions such as (a+)+ and .*.*, anchors and "
    "character classes instead of .*, and plain string functions where they do (contains, startswith, split)";
constexpr char kLessJson[] =
    "Parse each text once, with a schema of the fields that the queries need, and store the fields as columns of "
    "Parquet if they are read again";
constexpr CostlyCode kCostlyCode[] = {
    {"java.util.regex.Matcher.", "regular expressions take", 0.5, kHalf, kCheaperPatterns},
    {"org.apache.spark.sql.catalyst.json.JacksonParser.", "parsing JSON takes", 0.5, kUnsure, kLessJson},
    {"java.math.Big", "numbers as objects (BigDecimal) take", 0.3, kSome,
     "Use decimals of at most 18 digits, which Spark keeps as a long: cast() before arithmetic and aggregation; or "
     "integers of the smallest unit. A division, or a product of two decimals, has more digits than its operands"},
    {"java.time.format.", "parsing and formatting dates takes", 0.3, kSome,
     "Keep dates as columns of type DATE or TIMESTAMP, which are numbers. Parse each distinct text once, and join with "
     "the result; cast() parses ISO dates without a pattern"},
    {"java.text.SimpleDateFormat.", "parsing and formatting dates takes", 0.3, kSome,
     "Use to_date() or to_timestamp() of Spark, or java.time, whose formatters all threads share. Parse each distinct "
     "text once, and join with the result"}};

// Objects that should not be built per record; other constructors in the user's code are the general case.
constexpr std::string_view kBuilders[] = {"java.util.regex.Pattern.compile",
                                          "java.lang.Throwable.fillInStackTrace",
                                          "java.text.SimpleDateFormat.<init>",
                                          "java.time.format.DateTimeFormatter.ofPattern",
                                          "java.security.MessageDigest.getInstance",
                                          "javax.xml.parsers.DocumentBuilderFactory.newInstance",
                                          "com.fasterxml.jackson.databind.ObjectMapper.<init>",
                                          "java.util.ResourceBundle.getBundle"};

bool IsBuilder(std::string_view name, FrameOrigin origin) {
  for (const std::string_view builder : kBuilders) {
    if (name == builder) return true;
  }
  return origin == FrameOrigin::kUser && (name.ends_with(".<init>") || name.ends_with("__init__"));
}

std::vector<FunctionWeight> CpuOfFunctions(const Application& application, const StageSummary& summary,
                                           const Functions& functions) {
  const Profile& profile = application.profile;
  std::vector<uint32_t> rows;
  std::ranges::copy_if(summary.samples, std::back_inserter(rows),
                       [&, cpu = profile.Row(Event::kCpu)](uint32_t row) { return profile.samples[row].event == cpu; });
  return WeighFunctions(profile, functions, rows);
}

struct HotFunction {
  const Frame* function = nullptr;
  FunctionWeight weight;
  bool builds = false;
};

// The innermost hot function of the user, because outer ones only call it; prefers one that builds objects.
HotFunction FindHot(const Application& application, const StageSummary& summary, const Functions& functions,
                    int64_t cpu_ns) {
  const Profile& profile = application.profile;
  HotFunction hot;
  for (const FunctionWeight& weight : CpuOfFunctions(application, summary, functions)) {
    const double share = Share(weight.total, cpu_ns);
    if (share < std::min(kMostOfCode, kMuchOfCode)) continue;
    const Frame& function = functions.Get(weight.function);
    const std::string_view name = profile.strings.Get(function.name);
    const FrameOrigin origin = OriginOf(name, profile.strings.Get(function.file), function.kind);
    const bool builds = IsBuilder(name, origin) && share >= kMuchOfCode;
    if (!builds && (origin != FrameOrigin::kUser || share < kMostOfCode)) continue;
    if (hot.function == nullptr || (builds && !hot.builds) ||
        (builds == hot.builds && weight.total < hot.weight.total)) {
      hot = {&function, weight, builds};
    }
  }
  return hot;
}

// The innermost function of the user that calls `function` in most of the stage's CPU samples; may be empty.
std::string CallerOf(const Application& application, const StageSummary& summary, const Functions& functions,
                     uint32_t function) {
  const Profile& profile = application.profile;
  std::map<std::string, int64_t> by_caller;
  for (const auto& [innermost, weight] : CpuOfStacks(application, summary)) {
    bool is_inside = false;
    for (StackId stack = innermost; stack != 0; stack = profile.stacks.Get(stack).parent) {
      const FrameId id = profile.stacks.Get(stack).frame;
      const Frame& frame = profile.frames.Get(id);
      is_inside |= functions.Of(id) == function;
      if (!is_inside) continue;
      const FrameOrigin origin = OriginOf(profile.strings.Get(frame.name), profile.strings.Get(frame.file), frame.kind);
      if (origin != FrameOrigin::kUser) continue;
      by_caller[FrameLabel(profile.strings, frame)] += weight;
      break;
    }
  }
  const auto most = LargestEntry(by_caller);
  return most == by_caller.end() ? std::string() : most->first;
}

std::optional<Finding> FindCostlyCode(const FindingInput& input, const Stage& stage, const StageSummary& summary,
                                      int64_t cpu_ns) {
  const Profile& profile = input.application.profile;
  const std::vector<FunctionWeight> weights = CpuOfFunctions(input.application, summary, input.functions);
  for (const CostlyCode& code : kCostlyCode) {
    const FunctionWeight* most = nullptr;
    for (const FunctionWeight& weight : weights) {
      const bool is_of_code = profile.strings.Get(input.functions.Get(weight.function).name).starts_with(code.classes);
      if (is_of_code && (most == nullptr || weight.total > most->total)) most = &weight;
    }
    if (most == nullptr || Share(most->total, cpu_ns) < code.least_share) continue;
    const std::string share = FormatShare(Share(most->total, cpu_ns));
    Finding finding;
    finding.title = fmt::format("Stage {}: {} {} of CPU time", stage.id, code.what, share);
    finding.what = fmt::format("In {}, {} {} of the CPU time", StageText(input, stage), code.what, share);
    finding.evidence =
        fmt::format("{} of {} of cpu samples below {}", FormatDuration(most->total), FormatDuration(cpu_ns),
                    FrameLabel(profile.strings, input.functions.Get(most->function)));
    finding.condition = fmt::format("At least {} of a stage's CPU samples are below {}", FormatShare(code.least_share),
                                    code.classes.substr(0, code.classes.rfind('.')));
    finding.selection = SelectStage(stage, Event::kCpu);
    finding.selection.search = RE2::QuoteMeta(std::string(code.classes));
    finding.change = code.change;
    finding.claim = ClaimTasks(input, summary, TimeOfCpuSamples(summary, most->total), code.removal, AccountPart::kCpu);
    if (std::string caller = CallerOf(input.application, summary, input.functions, most->function); !caller.empty())
      finding.frames = {std::move(caller)};
    return finding;
  }
  return std::nullopt;
}

// Functions of SQL whose CPU time for a row can be most of a stage's.
struct CostlyFunctions {
  const char* what;
  const char* names;        // pattern
  int64_t least_of_row_ns;  // CPU time, without samples
  const char* change;
};
constexpr CostlyFunctions kGeometry = {
    "geometry", R"(\b(ST_\w+))", 0,
    "Compute what depends on one row only (ST_Buffer, ST_Transform, ST_Simplify) once for each row before the join, "
    "not for each joined pair, and make it cheaper: buffers with fewer segments ('quad_segs=2'), simplified "
    "geometries, bounding boxes (ST_Envelope) or distances (ST_DWithin) where they do"};
// Samples show their frames.
constexpr CostlyFunctions kOfTexts[] = {
    {"regular expressions", R"((?i)\b(regexp_\w+|rlike)\b)", 5 * kNanosPerMicro, kCheaperPatterns},
    {"JSON", R"(\b(from_json|get_json_object|json_tuple|JsonToStructs))", 5 * kNanosPerMicro, kLessJson}};

// The functions in the operators of a stage: "ST_Area". Spark's events have the outermost of nested ones.
std::set<std::string> FunctionsInPlan(const Application& application, const Stage& stage, const char* names) {
  const re2::RE2 function(names);
  std::set<std::string> functions;
  for (const PlanOperator& one : OperatorsOfStage(application, stage)) {
    re2::StringPiece text(one.plan->text);
    std::string name;
    while (re2::RE2::FindAndConsume(&text, function, &name)) functions.insert(name);
  }
  return functions;
}

struct GeometryTime {
  int64_t all_ns = 0;
  std::map<std::string, int64_t> functions;  // Sedona's: "intersection"
};

GeometryTime GeometryInSamples(const Application& application, const StageSummary& summary) {
  constexpr std::string_view kJts = "org.locationtech.jts.", kSedona = "org.apache.sedona.common.Functions.";
  const Profile& profile = application.profile;
  GeometryTime time;
  for (const auto& [leaf, weight] : CpuOfStacks(application, summary)) {
    bool is_of_geometry = false;
    std::string_view function;
    for (StackId stack = leaf; stack != 0; stack = profile.stacks.Get(stack).parent) {
      const std::string_view name = profile.strings.Get(profile.frames.Get(profile.stacks.Get(stack).frame).name);
      is_of_geometry |= name.starts_with(kJts);
      if (name.starts_with(kSedona)) function = name.substr(kSedona.size());
    }
    if (is_of_geometry) AddSaturated(weight, &time.all_ns);
    if (is_of_geometry && !function.empty()) AddSaturated(weight, &time.functions[std::string(function)]);
  }
  return time;
}

}  // namespace

std::optional<Finding> FindHotFrames(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const Application& application = input.application;
  if (summary.cpu_samples_ns < kWorthwhileNs) return std::nullopt;
  // FindPythonBoundStages reports lines of Python.
  const int64_t python_ns = WorkOfPython(application, summary).all_cpu_ns;
  const int64_t cpu_ns = summary.cpu_samples_ns + python_ns;
  const HotFunction hot = FindHot(application, summary, input.functions, cpu_ns);
  if (!hot.builds) {
    if (std::optional<Finding> costly = FindCostlyCode(input, stage, summary, cpu_ns)) return costly;
  }
  if (hot.function == nullptr) return std::nullopt;
  const std::string name = FrameLabel(application.profile.strings, *hot.function);
  Finding finding;
  const std::string hot_share = FormatShare(Share(hot.weight.total, cpu_ns));
  const bool throws = name.starts_with("java.lang.Throwable.");
  finding.title = fmt::format("Stage {}: {} {} of CPU time", stage.id,
                              throws       ? "creating exceptions takes"
                              : hot.builds ? "building one kind of object takes"
                                           : "one function takes",
                              hot_share);
  finding.what = fmt::format("{} takes {} of the CPU time of {}", name, hot_share, StageText(input, stage));
  finding.evidence = fmt::format("{} of {} of cpu samples, {} in the function itself", FormatDuration(hot.weight.total),
                                 FormatDuration(cpu_ns), FormatDuration(hot.weight.self));
  if (python_ns > 0) finding.evidence += fmt::format("; {} of them in Python workers", FormatDuration(python_ns));
  finding.condition =
      hot.builds ? fmt::format("At least {} of a stage's CPU samples are in the construction of one kind of object",
                               FormatShare(kMuchOfCode))
                 : fmt::format("At least {} of a stage's CPU samples are in one function of the user's code",
                               FormatShare(kMostOfCode));
  finding.selection = SelectStage(stage, Event::kCpu);
  if (std::string caller = CallerOf(application, summary, input.functions, hot.weight.function);
      !caller.empty() && caller != name)
    finding.frames.push_back(std::move(caller));
  finding.frames.push_back(name);
  finding.selection.search = RE2::QuoteMeta(std::string(application.profile.strings.Get(hot.function->name)));
  finding.change =
      throws ? "Test a value before you parse it, instead of catching the exception for each record; or throw one "
               "without a stack trace (scala.util.control.NoStackTrace)"
      : hot.builds
          ? "Build it once per partition (mapPartitions) or once per executor (a lazy val of an object, a broadcast) "
            "and reuse it for every record"
          : "Check its callees in the flame graph: move work from each record to once per partition, or remove it";
  // A function that builds nothing may be the purpose of the job.
  if (hot.builds) {
    finding.claim = ClaimTasks(input, summary, TimeOfCpuSamples(summary, hot.weight.total), kMost, AccountPart::kCpu);
  }
  return finding;
}

std::optional<Finding> FindCostlyFunctions(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  constexpr double kMuchOfCpu = 0.4;  // share of CPU time; in event logs, share of CPU time in run time
  if (Share(summary.wall_ns, input.duration_ns) < kMuchOfTime) return std::nullopt;
  const bool has_samples = summary.cpu_samples_ns > 0;
  const int64_t run_ns = summary.Total(TaskMetric::kExecutorRunTime);
  const int64_t task_cpu_ns = summary.Total(TaskMetric::kExecutorCpuTime);
  const int64_t records =
      std::max(summary.Total(TaskMetric::kInputRecords), summary.Total(TaskMetric::kShuffleReadRecords));
  const CostlyFunctions* costly = &kGeometry;
  std::set<std::string> planned = FunctionsInPlan(input.application, stage, kGeometry.names);
  for (const CostlyFunctions& one : kOfTexts) {
    if (!planned.empty() || has_samples || records == 0 || task_cpu_ns / records < one.least_of_row_ns) continue;
    costly = &one;
    planned = FunctionsInPlan(input.application, stage, one.names);
  }
  if (planned.empty()) return std::nullopt;
  const GeometryTime time = GeometryInSamples(input.application, summary);
  const double share = has_samples ? Share(time.all_ns, summary.cpu_samples_ns) : Share(task_cpu_ns, run_ns);
  if (share < kMuchOfCpu) return std::nullopt;
  Finding finding;
  finding.title = has_samples ? fmt::format("Stage {}: geometry takes {} of CPU time", stage.id, FormatShare(share))
                              : fmt::format("Stage {}: its tasks compute {}, by their plan", stage.id, costly->what);
  finding.title += fmt::format(": {}", fmt::join(planned, ", "));
  finding.what = fmt::format("The plan of {} calls {}", StageText(input, stage), fmt::join(planned, ", "));
  finding.evidence = fmt::format("{} of {} run time is CPU time", FormatDuration(task_cpu_ns), FormatDuration(run_ns));
  if (!has_samples && records > 0)
    finding.evidence +=
        fmt::format(", {} for each of {} records", FormatDuration(task_cpu_ns / records), CountText(records));
  std::vector<std::pair<int64_t, std::string>> functions;
  for (const auto& [name, ns] : time.functions) functions.emplace_back(ns, name);
  std::sort(functions.rbegin(), functions.rend());
  constexpr size_t kMaxFunctions = 3;
  if (functions.size() > kMaxFunctions) functions.resize(kMaxFunctions);
  for (const auto& [ns, name] : functions)
    finding.evidence +=
        fmt::format("; {} of CPU time in {}() of Sedona", FormatShare(Share(ns, summary.cpu_samples_ns)), name);
  finding.condition = fmt::format(
      "A stage of at least {} of the duration calls geometry functions (ST_…), and at least {} of its CPU samples are "
      "in the JTS library or, without samples, of its run time is CPU time; without samples, also regular expressions "
      "and functions of JSON, if a record takes at least {} of CPU time",
      FormatShare(kMuchOfTime), FormatShare(kMuchOfCpu), FormatDuration(kOfTexts[0].least_of_row_ns));
  finding.selection = SelectStage(stage, Event::kCpu);
  if (has_samples) finding.selection.search = R"(org\.locationtech\.jts\.)";
  finding.change = costly->change;
  finding.claim = has_samples
                      ? ClaimTasks(input, summary, TimeOfCpuSamples(summary, time.all_ns), kSome, AccountPart::kCpu)
                      : ClaimTasks(input, summary, run_ns, costly == &kGeometry ? kSome : kUnsure);
  return finding;
}

}  // namespace sparkprof
