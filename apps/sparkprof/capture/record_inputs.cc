// SPDX-License-Identifier: Apache-2.0
#include "capture/record_inputs.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "base/io/line_reader.h"
#include "formats/record_reader.h"
#include "inputs/inputs.h"
#include "output/progress.h"
#include "verb.h"

namespace sparkprof {
namespace {

// Returns the problem with `input`, if any.
std::optional<std::string> ReadInput(const Input& input, const LineLimits& limits, RecordReader* reader) {
  Result<std::unique_ptr<ByteSource>> source = input.Open();
  if (!source) return source.error().message;
  LineReader lines(std::move(*source), limits);
  for (std::string_view block = lines.Next(); !block.empty(); block = lines.Next()) reader->AddLines(block);
  if (lines.SourceError()) return lines.SourceError()->message;
  if (lines.DroppedLines() > 0) {
    return fmt::format("{}: skipped {} lines longer than {} bytes (--max-line)", input.path, lines.DroppedLines(),
                       limits.max_line_bytes);
  }
  return std::nullopt;
}

// Suffix for the first of `count` items of which only that one is named.
std::string AndMore(size_t count) { return count > 1 ? fmt::format(" (and {} more)", count - 1) : ""; }

}  // namespace

Result<LoadedRecords> LoadRecords(const std::vector<std::string>& paths, const InputOptions& input_options,
                                  const RecordReadOptions& options) {
  const Progress progress("reading records", BytesOfPaths(paths));
  const Result<Inputs> inputs = FindInputs(paths, input_options.Limits());
  if (!inputs) return Fail(inputs.error().message);
  const LineLimits& limits = input_options.EventLog().lines;
  LoadedRecords loaded;
  RecordReader reader(&loaded.records, options);
  std::vector<std::string> others;  // unread files with the reason
  for (const Input& input : inputs->inputs) {
    if (!MayHoldRecords(input.kind)) {
      others.push_back(fmt::format("{}: {}, not profiler records", input.path, InputKindName(input.kind)));
      continue;
    }
    const int64_t damaged_before = loaded.records.damaged_lines;
    if (std::optional<std::string> problem = ReadInput(input, limits, &reader))
      loaded.notes.push_back(std::move(*problem));
    if (const int64_t damaged = loaded.records.damaged_lines - damaged_before; damaged > 0) {
      loaded.notes.push_back(fmt::format("{}: skipped {} damaged or truncated records", input.path, damaged));
    }
  }
  reader.Finish();
  for (const Unrecognized& file : inputs->unrecognized) others.push_back(fmt::format("{}: {}", file.path, file.reason));
  if (!others.empty()) loaded.notes.push_back(others.front() + AndMore(others.size()));
  loaded.notes.insert(loaded.notes.end(), inputs->notes.begin(), inputs->notes.end());
  if (loaded.records.dropped_series > 0) {
    loaded.notes.push_back(fmt::format("skipped {} points of metrics beyond the first {}",
                                       loaded.records.dropped_series, options.max_series));
  }
  if (loaded.records.RecordCount() == 0 && !loaded.notes.empty()) {
    return Fail(fmt::format("no profiler records: {}{}", loaded.notes.front(), AndMore(loaded.notes.size())));
  }
  return loaded;
}

void PrintNotes(const LoadedRecords& loaded) {
  for (const std::string& note : loaded.notes) Complain(note);
}

}  // namespace sparkprof
