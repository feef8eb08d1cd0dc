// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "base/saturate.h"
#include "base/text/json_writer.h"
#include "capture/record_inputs.h"
#include "capture/recording_options.h"
#include "output/output_name.h"
#include "verb.h"

namespace sparkprof {
namespace {

constexpr OutputKind kStackOutputs[] = {{"collapsed", ".collapsed .folded"}, {"json", ".json"}};

// `id` is "8" or "8_id", as in the records. JVM records have no ID and always match.
bool HasId(const ProfilerRecords& records, const RecordStack& row, const std::string& id) {
  const std::string_view rdd = records.strings.Get(row.rdd);
  return id.empty() || rdd.empty() || rdd == id || rdd == id + "_id";
}

// Root first. Replaces line ends in names, which would break the output's lines.
std::vector<std::string> Frames(const ProfilerRecords& records, StackId stack) {
  std::vector<FrameId> ids;
  records.stacks.Unwind(stack, &ids);
  std::vector<std::string> frames;
  for (const FrameId id : ids) {
    std::string& text = frames.emplace_back(RecordFrameText(records.strings, records.frames.Get(id)));
    for (char& c : text) {
      if (c == '\n' || c == '\r') c = ' ';
    }
  }
  return frames;
}

struct FoldedStack {
  std::vector<std::string> frames;
  int64_t count = 0;
};

// Equal stacks merged and sorted, or one per record in order.
std::vector<FoldedStack> Fold(const ProfilerRecords& records, const RecordStackOptions& options) {
  std::vector<FoldedStack> folded;
  std::map<std::vector<std::string>, int64_t> sums;
  for (const RecordStack& row : records.stack_counts) {
    if (row.stack == 0 || !HasId(records, row, options.rdd)) continue;
    if (options.each) {
      folded.push_back({Frames(records, row.stack), row.count});
    } else {
      AddSaturated(row.count, &sums[Frames(records, row.stack)]);
    }
  }
  for (auto& [frames, count] : sums) folded.push_back({frames, count});
  return folded;
}

// Profilers count threads without Java frames as samples with an empty stack; a collapsed line needs a frame.
void PrintSamplesWithoutStack(const ProfilerRecords& records, const RecordStackOptions& options) {
  int64_t samples = 0;
  for (const RecordStack& row : records.stack_counts) {
    if (row.stack == 0 && HasId(records, row, options.rdd)) AddSaturated(row.count, &samples);
  }
  if (samples > 0) Complain(fmt::format("skipped {} samples without a stack", samples));
}

}  // namespace

void RecordStackOptions::AddTo(CLI::App& command) {
  const char* const kGroup = "Records of jvm-profiler, PySpark profilers and babar";
  command.add_flag("--records", is_given, "Read stack records anywhere in the inputs, and add up equal stacks")
      ->group(kGroup);
  AddOption(command, "--rdd RDD", &rdd, "Only PySpark stacks of this RDD; JVM stacks are always included")
      ->group(kGroup);
  command.add_flag("--each", each, "One line for each record instead of adding up equal stacks")->group(kGroup);
  inputs.AddLimitsTo(command);
}

int WriteRecordStacks(const RecordStackOptions& options, RecordStackFiles files, const CLI::App& command) {
  const Result<bool> named_after_input =
      ResolveOutput(kStackOutputs, {.inputs = &files.inputs, .output = &files.output, .format = &files.format});
  if (!named_after_input) return Misuse(command, named_after_input.error().message);
  if (!files.format.empty() && files.format != "json" && files.format != "collapsed") {
    return Misuse(command, fmt::format("--records: --format must be collapsed or json, not {}", files.format));
  }
  const OutputKind* const by_name = OutputForPath(kStackOutputs, files.output);
  const bool json = (files.format.empty() && by_name != nullptr ? by_name->name : files.format) == "json";
  const Result<LoadedRecords> loaded = LoadRecords(
      files.inputs, options.inputs, {.series = false, .stack_windows = false, .merge_stacks = !options.each});
  if (!loaded) return Complain(loaded.error().message);
  PrintNotes(*loaded);
  PrintSamplesWithoutStack(loaded->records, options);
  const std::vector<FoldedStack> stacks = Fold(loaded->records, options);
  if (stacks.empty()) {
    return Complain(options.rdd.empty() ? "no stack records in the inputs"
                                        : fmt::format("no stack records of RDD '{}'", options.rdd),
                    kExitNo);
  }
  std::string text;
  JsonWriter document;
  document.BeginArray();
  for (const FoldedStack& stack : stacks) {
    if (json) {
      document.BeginObject().Member("stack", stack.frames).Member("count", stack.count).EndObject();
    } else {
      fmt::format_to(std::back_inserter(text), "{} {}\n", fmt::join(stack.frames, ";"), stack.count);
    }
  }
  document.EndArray();
  const Result<void> written = WriteOutput(files.output, json ? document.Take() + "\n" : text);
  if (!written) return Complain(written.error().message);
  if (*named_after_input) Complain(fmt::format("wrote {}", files.output));
  return kExitSuccess;
}

}  // namespace sparkprof
