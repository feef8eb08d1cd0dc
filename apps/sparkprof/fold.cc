// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "base/saturate.h"
#include "output_name.h"
#include "record_inputs.h"
#include "recording_options.h"
#include "share_option.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct FoldOptions {
  std::vector<std::string> paths;
  std::string id;
  std::string output;
  std::string format;  // collapsed or json
  bool each = false;
  bool json = false;
  InputOptions inputs;
};

constexpr OutputKind kFoldOutputs[] = {{"collapsed", ".collapsed .folded"}, {"json", ".json"}};

// "8" or "8_id", as the records have it. Records of a JVM have none and always count.
bool HasId(const ProfilerRecords& records, const RecordStack& row, const std::string& id) {
  const std::string_view rdd = records.strings.Get(row.rdd);
  return id.empty() || rdd.empty() || rdd == id || rdd == id + "_id";
}

// Root first. A line end inside a name would break the output's lines.
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

// Equal stacks added up and sorted, or one for each record in their order.
std::vector<FoldedStack> Fold(const ProfilerRecords& records, const FoldOptions& options) {
  std::vector<FoldedStack> folded;
  std::map<std::vector<std::string>, int64_t> sums;
  for (const RecordStack& row : records.stack_counts) {
    if (row.stack == 0 || !HasId(records, row, options.id)) continue;
    if (options.each) {
      folded.push_back({Frames(records, row.stack), row.count});
    } else {
      AddSaturated(row.count, &sums[Frames(records, row.stack)]);
    }
  }
  for (auto& [frames, count] : sums) folded.push_back({frames, count});
  return folded;
}

// Profilers count threads without Java frames as samples with an empty stack; a folded line needs a frame.
void PrintSamplesWithoutStack(const ProfilerRecords& records, const FoldOptions& options) {
  int64_t samples = 0;
  for (const RecordStack& row : records.stack_counts) {
    if (row.stack == 0 && HasId(records, row, options.id)) AddSaturated(row.count, &samples);
  }
  if (samples > 0) Complain(fmt::format("skipped {} samples without a stack", samples));
}

int RunFold(FoldOptions options, const CLI::App& command) {
  if (options.json) options.format = "json";
  const Result<bool> named_after_input =
      ResolveOutput(kFoldOutputs, {.inputs = &options.paths, .output = &options.output, .format = &options.format});
  if (!named_after_input) return Misuse(command, named_after_input.error().message);
  const OutputKind* const by_name = OutputForPath(kFoldOutputs, options.output);
  const bool json = (options.format.empty() && by_name != nullptr ? by_name->name : options.format) == "json";
  const Result<LoadedRecords> loaded = LoadRecords(
      options.paths, options.inputs, {.series = false, .stack_windows = false, .merge_stacks = !options.each});
  if (!loaded) return Complain(loaded.error().message);
  PrintNotes(*loaded);
  PrintSamplesWithoutStack(loaded->records, options);
  const std::vector<FoldedStack> stacks = Fold(loaded->records, options);
  if (stacks.empty()) {
    return Complain(
        options.id.empty() ? "no stack records in the inputs" : fmt::format("no stack records of RDD '{}'", options.id),
        kExitNo);
  }
  std::string text;
  JsonWriter document;
  document.BeginArray();
  for (const FoldedStack& stack : stacks) {
    if (json) {
      document.BeginObject().Key("stack").BeginArray();
      for (const std::string& frame : stack.frames) document.Value(frame);
      document.EndArray().Member("count", stack.count).EndObject();
    } else {
      fmt::format_to(std::back_inserter(text), "{} {}\n", fmt::join(stack.frames, ";"), stack.count);
    }
  }
  document.EndArray();
  const Result<void> written = WriteOutput(options.output, json ? document.Take() + "\n" : text);
  if (!written) return Complain(written.error().message);
  if (*named_after_input) Complain(fmt::format("wrote {}", options.output));
  return kExitSuccess;
}

}  // namespace

std::function<int()> DefineFold(CLI::App& command) {
  const auto options = std::make_shared<FoldOptions>();
  command.add_option("PATH", options->paths, "Files and folders with stack records")->required();
  command.add_option("--id", options->id, "Only PySpark stacks of this RDD; JVM stacks are always included")
      ->type_name("RDD");
  command.add_option("-o,--output", options->output, "Output file (default: standard output)")->type_name("FILE");
  AddShareTo(command);
  command.add_flag("--each", options->each, "Print one line per record instead of merging equal stacks");
  command.add_flag("--json", options->json, "Print JSON");
  options->inputs.AddLimitsTo(command);
  command.footer(
      "Merges the stacks recorded by jvm-profiler, PySpark profilers and babar for flamegraph.pl and other tools:\n"
      "root;...;leaf COUNT. Exits with code 1 if there are none.\n"
      "Examples:\n"
      "  sparkprof fold Stacktrace.json.gz > stacks.folded\n"
      "  sparkprof fold Stacktrace.json.gz s_8_stack.json.gz -o combined.folded");
  return [options, &command] { return RunFold(*options, command); };
}

}  // namespace sparkprof
