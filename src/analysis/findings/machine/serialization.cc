// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/rules.h"
#include "analysis/findings/scheduling/stage_tasks.h"

namespace sparkprof {
namespace {

constexpr int64_t kLargeResults = 1 << 20;  // bytes; smaller results take long only while classes load
// Kryo needs a tenth to a third of the time of Java's serialization.
constexpr char kSerializer[] = "spark.serializer";

bool IsJavaSerialization(std::string_view name) {
  return name.starts_with("java.io.ObjectOutputStream.") || name.starts_with("java.io.ObjectInputStream.");
}

// True for closures and results, which always use Java's serialization.
bool IsOfClosure(std::string_view name) {
  return name == "org.apache.spark.serializer.JavaSerializerInstance.deserialize" ||
         name == "org.apache.spark.serializer.JavaSerializerInstance.serialize";
}

bool SerializesIn(const Profile& profile, StackId stack) {
  bool serializes = false;
  for (; stack != 0; stack = profile.stacks.Get(stack).parent) {
    const Frame& frame = profile.frames.Get(profile.stacks.Get(stack).frame);
    const std::string_view name = profile.strings.Get(frame.name);
    if (IsOfClosure(name)) return false;
    serializes |= IsJavaSerialization(name);
  }
  return serializes;
}

int64_t SampledNs(const Application& application, const StageSummary& summary) {
  const Profile& profile = application.profile;
  int64_t sum_ns = 0;
  for (const auto& [stack, weight] : CpuOfStacks(application, summary))
    if (SerializesIn(profile, stack)) sum_ns += weight;
  return sum_ns;
}

bool UsesKryo(const Application& application) {
  return SettingOf(application, kSerializer).value_or("").find("Kryo") != std::string_view::npos;
}

}  // namespace

std::optional<Finding> FindSerialization(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const int64_t sampled_ns = SampledNs(input.application, summary);
  const int64_t result_ns = summary.Total(TaskMetric::kResultSerializationTime);
  const double of_cpu = Share(sampled_ns, summary.cpu_samples_ns);
  const double of_results = Share(result_ns, summary.Total(TaskMetric::kDuration));
  const bool by_samples = sampled_ns >= kWorthwhileNs && of_cpu >= kMuchOfCode && !UsesKryo(input.application);
  const bool by_results = result_ns >= kWorthwhileNs && of_results >= kMuchOfTime &&
                          summary.Total(TaskMetric::kResultSize) >= kLargeResults;
  if (!by_samples && !by_results) return std::nullopt;
  Finding finding;
  if (by_samples) {
    finding.title = fmt::format("Stage {}: Java's serialization takes {} of CPU time", stage.id, FormatShare(of_cpu));
    finding.what = fmt::format("Tasks of {} spend {} of {} CPU time in Java's serialization", StageText(input, stage),
                               FormatDuration(sampled_ns), FormatDuration(summary.cpu_samples_ns));
    finding.evidence = "CPU samples in java.io.ObjectOutputStream and java.io.ObjectInputStream";
    finding.change = fmt::format(
        "Set {}=org.apache.spark.serializer.KryoSerializer, or use DataFrames, which have an encoding of their own. "
        "Shuffle and cache fewer objects",
        kSerializer);
  } else {
    finding.title =
        fmt::format("Stage {}: serializing results takes {} of task time", stage.id, FormatShare(of_results));
    finding.what =
        fmt::format("Tasks of {} spend {} of {} task time on serializing their results", StageText(input, stage),
                    FormatDuration(result_ns), FormatDuration(summary.Total(TaskMetric::kDuration)));
    finding.evidence = "Spark's metric of result serialization time";
    finding.change = "Return less to the driver: aggregate, filter or write the rows in the executors";
  }
  finding.condition = fmt::format(
      "Java's serialization takes at least {} of a stage's CPU samples and Kryo is not set, or serializing results of "
      "at least {} takes at least {} of its task time; and at least {}",
      FormatShare(kMuchOfCode), FormatBytes(kLargeResults), FormatShare(kMuchOfTime), FormatDuration(kWorthwhileNs));
  finding.selection = SelectStage(stage, Event::kCpu);
  if (by_samples) finding.selection.search = "java\\.io\\.Object(Output|Input)Stream\\.";
  finding.claim = by_samples
                      ? ClaimTasks(input, summary, TimeOfCpuSamples(summary, sampled_ns), kMost, AccountPart::kCpu)
                      : ClaimTasks(input, summary, result_ns, kMost, AccountPart::kResultSerialization);
  return finding;
}

}  // namespace sparkprof
