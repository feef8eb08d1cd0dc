// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/rules.h"
#include "analysis/findings/scheduling/stage_tasks.h"

namespace sparkprof {
namespace {

constexpr int64_t kManyBytes = 1 << 20;              // written, without samples
constexpr int64_t kLongCpuNs = 2 * kNanosPerSecond;  // without samples
constexpr int64_t kLongForAByte = 100;  // ns of CPU time per byte; LZ4 and fast levels of zstd need less than 10
constexpr std::string_view kLevel = "spark.io.compression.zstd.level";
constexpr int64_t kSlowLevel = 4;       // zstd levels from here are slow
constexpr int64_t kVerySlowLevel = 10;  // from here, they take most of the time of any task that writes

// True for codecs with strong, slow compression levels, while they compress.
bool Compresses(std::string_view name) {
  for (const std::string_view codec :
       {"com.github.luben.zstd.Zstd", "java.util.zip.Deflater.", "org.apache.hadoop.io.compress.zlib.ZlibCompressor.",
        "org.apache.hadoop.io.compress.bzip2.CBZip2OutputStream.", "com.aayushatharva.brotli4j.encoder."}) {
    if (!name.starts_with(codec)) continue;
    return !Contains(name, "Input") && !Contains(name, "ecompress");
  }
  return false;
}

struct Compressed {
  int64_t all_ns = 0;
  int64_t shuffle_ns = 0;  // part of all_ns for Spark's own blocks: shuffles and spills
};

Compressed CompressionInSamples(const Application& application, const StageSummary& summary) {
  const Profile& profile = application.profile;
  Compressed sum;
  for (const auto& [leaf, weight] : CpuOfStacks(application, summary)) {
    bool compresses = false, is_block = false;
    for (StackId stack = leaf; stack != 0; stack = profile.stacks.Get(stack).parent) {
      const std::string_view name = profile.strings.Get(profile.frames.Get(profile.stacks.Get(stack).frame).name);
      compresses |= Compresses(name);
      is_block |= name.starts_with("org.apache.spark.shuffle.") || name.starts_with("org.apache.spark.storage.");
    }
    if (!compresses) continue;
    sum.all_ns += weight;
    if (is_block) sum.shuffle_ns += weight;
  }
  return sum;
}

// A slow level of zstd that the program chose.
struct SlowLevel {
  std::string setting, value;  // the one for shuffles, or the option of the writer
  bool is_of_output = false;

  bool IsKnown() const { return !value.empty(); }
  std::string Text() const { return setting + "=" + value; }
};

// "[compression=zstd, parquet.compression.codec.zstd.level=19, path=…]" in the plan, or the setting for shuffles.
SlowLevel SlowLevelOf(const Application& application, const Stage& stage) {
  const auto is_slow = [](std::string_view level) { return ParseInteger(level).value_or(0) >= kSlowLevel; };
  static const re2::RE2 option(R"(([\w.]*compress[\w.]*zstd\.level)\s*(?:=|->)\s*(\d+))");
  SlowLevel slow;
  for (const PlanOperator& one : OperatorsOfStage(application, stage)) {
    if (IsWrite(one.kind) && re2::RE2::PartialMatch(one.plan->text, option, &slow.setting, &slow.value) &&
        is_slow(slow.value)) {
      slow.is_of_output = true;
      return slow;
    }
  }
  const std::string_view level = SettingOf(application, kLevel).value_or("");
  return is_slow(level) ? SlowLevel{std::string(kLevel), std::string(level)} : SlowLevel();
}

constexpr int64_t kLargeShuffle = int64_t{1} << 30;
constexpr double kAsLarge = 0.95;   // relative to the size of rows
constexpr int64_t kBytesPerNs = 1;  // compression and decompression on one core
constexpr std::string_view kCompress = "spark.shuffle.compress";

struct Shuffled {
  int64_t rows_bytes = 0, written_bytes = 0;
  std::vector<int64_t> stages;  // IDs
};

// Exchanges whose blocks are about as large as their rows.
Shuffled IncompressibleShuffles(const Application& application) {
  Shuffled sum;
  for (const SqlExecution& sql : application.sql_executions) {
    for (const PlanOperator& one : OperatorsOf(sql.plan)) {
      const int64_t rows = ValueOf(*one.plan, "data size").value_or(0);
      const int64_t written = ValueOf(*one.plan, "shuffle bytes written").value_or(0);
      if (one.kind != "Exchange" || rows == 0 || Share(written, rows) < kAsLarge) continue;
      sum.rows_bytes += rows;
      sum.written_bytes += written;
      sum.stages.insert(sum.stages.end(), one.stages.begin(), one.stages.end());
    }
  }
  std::ranges::sort(sum.stages);
  sum.stages.erase(std::unique(sum.stages.begin(), sum.stages.end()), sum.stages.end());
  return sum;
}

}  // namespace

std::optional<Finding> FindCompression(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const Compressed sampled = CompressionInSamples(input.application, summary);
  const int64_t cpu_ns = summary.Total(TaskMetric::kExecutorCpuTime);
  const bool has_samples = summary.cpu_samples_ns > 0;
  const double share = Share(sampled.all_ns, summary.cpu_samples_ns);
  if (has_samples && (sampled.all_ns < kWorthwhileNs || share < kMostOfCode)) return std::nullopt;
  const SlowLevel level = SlowLevelOf(input.application, stage);
  const int64_t bytes = summary.Total(level.is_of_output ? TaskMetric::kOutputBytes : TaskMetric::kShuffleWriteBytes);
  if (!has_samples && (!level.IsKnown() || bytes < kManyBytes || cpu_ns < kLongCpuNs || cpu_ns / bytes < kLongForAByte))
    return std::nullopt;
  const bool of_shuffle = has_samples ? 2 * sampled.shuffle_ns >= sampled.all_ns : !level.is_of_output;
  const std::string_view data = of_shuffle ? "shuffle data" : "output";
  Finding finding;
  finding.title = has_samples
                      ? fmt::format("Stage {}: compressing {} takes {} of CPU time", stage.id, data, FormatShare(share))
                      : fmt::format("Stage {}: {} is compressed by zstd at level {}", stage.id, data, level.value);
  finding.what =
      has_samples ? fmt::format("Tasks of {} spend {} of {} CPU time on compressing {}", StageText(input, stage),
                                FormatDuration(sampled.all_ns), FormatDuration(summary.cpu_samples_ns), data)
                  : fmt::format("Tasks of {} use {} of CPU time and write {} of {}, compressed by a slow level of zstd",
                                StageText(input, stage), FormatDuration(cpu_ns), FormatBytes(bytes), data);
  finding.evidence =
      has_samples ? "CPU samples in the codec" : fmt::format("{} ns of CPU time for each byte", cpu_ns / bytes);
  if (level.IsKnown()) finding.evidence += "; " + level.Text();
  finding.condition = fmt::format(
      "Compressing with zstd, zlib, bzip2 or brotli takes at least {} of a stage's CPU samples; without samples, {} or "
      "the writer's level of zstd is above 3, and the stage writes at least {} and uses at least {} of CPU time, {} ns "
      "for each byte",
      FormatShare(kMostOfCode), kLevel, FormatBytes(kManyBytes), FormatDuration(kLongCpuNs), kLongForAByte);
  finding.selection = SelectStage(stage, Event::kCpu);
  finding.change =
      of_shuffle ? fmt::format("Set spark.io.compression.codec=lz4, or {}=1. Shuffle fewer columns and rows", kLevel)
      : level.is_of_output
          ? fmt::format(
                "Write without the option {}: level 3, the default, is many times faster, and its files are "
                "seldom much larger",
                level.Text())
          : "Write with a faster codec (zstd at its default level, snappy, lz4), or a lower level of this one";
  const int64_t compression_ns = has_samples ? TimeOfCpuSamples(summary, sampled.all_ns) : cpu_ns;
  const bool is_most = has_samples || ParseInteger(level.value).value_or(0) >= kVerySlowLevel;
  finding.claim = ClaimTasks(input, summary, compression_ns, is_most ? kMost : kHalf, AccountPart::kCpu);
  return finding;
}

std::optional<Finding> FindWastedCompression(const FindingInput& input) {
  if (SettingOf(input.application, kCompress) == std::string_view("false")) return std::nullopt;
  Shuffled shuffled = IncompressibleShuffles(input.application);
  if (shuffled.written_bytes < kLargeShuffle) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Compression saves nothing of {} of shuffle", FormatBytes(shuffled.written_bytes));
  finding.what = fmt::format("Rows of {} make blocks of {}: their values are compressed, encrypted or random already",
                             FormatBytes(shuffled.rows_bytes), FormatBytes(shuffled.written_bytes));
  finding.evidence = "\"data size\" and \"shuffle bytes written\" of the exchanges";
  finding.condition = fmt::format("Exchanges whose blocks have at least {} of the size of their rows write at least {}",
                                  FormatShare(kAsLarge), FormatBytes(kLargeShuffle));
  finding.selection.event = EventName(Event::kCpu);
  finding.change = fmt::format(
      "Set {}=false for such a job, or compress after the shuffle what does not have to be compressed before",
      kCompress);
  finding.claim = ClaimStages(input, shuffled.stages, shuffled.written_bytes / kBytesPerNs / input.cores, kHalf);
  finding.stages = std::move(shuffled.stages);
  return finding;
}

}  // namespace sparkprof
