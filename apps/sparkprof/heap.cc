// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "analysis/heap_classes.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "base/time.h"
#include "number_checks.h"
#include "option_flags.h"
#include "pictures/selection_options.h"
#include "recording_options.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct HeapOptions {
  RecordingOptions recording;
  SelectionOptions selection;
  size_t top = 30;
  bool diff = false;
  bool json = false;
};

double ShareOf(int64_t bytes, const HeapChange& heap) {
  return heap.now.bytes > 0 ? static_cast<double>(bytes) / static_cast<double>(heap.now.bytes) : 0.0;
}

std::string SignedBytes(int64_t bytes) {
  return bytes == 0 ? "0" : (bytes < 0 ? "-" : "+") + FormatBytes(std::abs(bytes));
}

std::string Json(const Application& application, const HeapChange& heap) {
  JsonWriter json;
  json.BeginObject().Key("summaries").BeginArray();
  for (const ApplicationHeapSummary* row : heap.summaries) {
    const HeapObjects total = row->summary.Total();
    json.BeginObject().Member("time", row->summary.time_ns / kNanosPerMilli).Key("executor");
    if (row->executor < 0) {
      json.Null();
    } else {
      json.Value(application.executors[static_cast<size_t>(row->executor)].id);
    }
    json.Member("pauseMs", static_cast<double>(row->summary.pause_ns) / kNanosPerMilli)
        .Member("instances", total.instances)
        .Member("bytes", total.bytes)
        .EndObject();
  }
  json.EndArray()
      .Member("instances", heap.now.instances)
      .Member("bytes", heap.now.bytes)
      .Member("instancesBefore", heap.before.instances)
      .Member("bytesBefore", heap.before.bytes)
      .Key("classes")
      .BeginArray();
  for (const HeapClassChange& row : heap.classes) {
    json.BeginObject()
        .Member("name", row.name)
        .Member("instances", row.now.instances)
        .Member("bytes", row.now.bytes)
        .Member("share", ShareOf(row.now.bytes, heap))
        .Member("instancesBefore", row.before.instances)
        .Member("bytesBefore", row.before.bytes)
        .EndObject();
  }
  return json.EndArray().EndObject().Take() + "\n";
}

std::string Heading(const HeapChange& heap) {
  int64_t longest_ns = 0;
  for (const ApplicationHeapSummary* row : heap.summaries) longest_ns = std::max(longest_ns, row->summary.pause_ns);
  return fmt::format("Heap summaries: {}, from {} to {}; longest pause {}.\n", heap.summaries.size(),
                     FormatTimestamp(heap.summaries.front()->summary.time_ns),
                     FormatTimestamp(heap.summaries.back()->summary.time_ns), FormatDuration(longest_ns));
}

std::string Text(const HeapChange& heap) {
  const auto line = [](const std::string& bytes, const std::string& share, const std::string& change, int64_t instances,
                       int64_t instances_before, std::string_view name) {
    const int64_t more = instances - instances_before;
    return fmt::format("{:>10} {:>6} {:>11} {:>12} {:>12}  {}\n", bytes, share, change, instances,
                       more == 0 ? "0" : fmt::format("{:+}", more), name);
  };
  std::string text = Heading(heap);
  text += fmt::format("{:>10} {:>6} {:>11} {:>12} {:>12}  {}\n", "bytes", "share", "change", "instances", "change",
                      "class");
  for (const HeapClassChange& row : heap.classes) {
    text += line(FormatBytes(row.now.bytes), FormatShare(ShareOf(row.now.bytes, heap)), SignedBytes(row.BytesChange()),
                 row.now.instances, row.before.instances, row.name);
  }
  return text + line(FormatBytes(heap.now.bytes), "", SignedBytes(heap.now.bytes - heap.before.bytes),
                     heap.now.instances, heap.before.instances, "(all classes)");
}

// Leaves the classes that are to be printed.
void Choose(const HeapOptions& options, std::vector<HeapClassChange>* classes) {
  if (options.diff) {
    std::erase_if(*classes, [](const HeapClassChange& row) { return row.BytesChange() == 0; });
    std::stable_sort(classes->begin(), classes->end(), [](const HeapClassChange& a, const HeapClassChange& b) {
      return a.BytesChange() > b.BytesChange();
    });
  }
  if (classes->size() > options.top) classes->resize(options.top);
}

std::string ExplainNothing(const Application& application, const std::string& recording) {
  if (application.heap_summaries.empty()) {
    return fmt::format(
        "{}: no heap summaries recorded; each JVM writes the first one after 5 s, unless heapSummary.enabled "
        "is false",
        recording);
  }
  return fmt::format("{}: no heap summaries match --executor, --from and --to; recorded: executors {}", recording,
                     ExecutorsWithHeapSummaries(application));
}

int RunHeap(const HeapOptions& options) {
  Result<Selection> selection = options.selection.Parse();
  if (!selection) return Complain(selection.error().message);
  const Result<LoadedRecording> loaded = Load(options.recording);
  if (!loaded) return Complain(loaded.error().message);
  const Application& application = loaded->Longest();
  if (!loaded->OthersNote().empty()) Complain(fmt::format("showing {}. {}", application.id, loaded->OthersNote()));
  options.selection.AnchorTimes(RangeOf(application), &*selection);
  HeapChange heap = HeapChangeOf(application, *selection);
  if (heap.summaries.empty()) return Complain(ExplainNothing(application, loaded->name), kExitNo);
  Choose(options, &heap.classes);
  const Result<void> written = WriteOutput("-", options.json ? Json(application, heap) : Text(heap));
  return written ? kExitSuccess : Complain(written.error().message);
}

}  // namespace

std::function<int()> DefineHeap(CLI::App& command) {
  const auto options = std::make_shared<HeapOptions>();
  options->recording.AddTo(command);
  AddOptions(command, options->selection.PlaceAndTimeOptions());
  command.add_option("--top", options->top, "Number of classes to print")->check(AtLeast(1))->capture_default_str();
  command.add_flag("--diff", options->diff, "Print the classes that changed, those that grew most first");
  command.add_flag("--json", options->json, "Print JSON");
  command.footer(
      "Prints the objects of each class at the last heap summary of each JVM in the time range, and the change since\n"
      "the first one. A summary includes objects that the next garbage collection will remove. Classes that are not\n"
      "among the 200 largest of a summary count as 0.\n"
      "Exits with code 1 if there are no heap summaries.\n"
      "Examples:\n"
      "  sparkprof heap sparkprof-output/recording.sprof\n"
      "  sparkprof heap recording.sprof --executor 1 --diff --from 10m --to 40m\n"
      "  sparkprof heap --json recording.sprof | jq '.classes[0].name'");
  return [options] { return RunHeap(*options); };
}

}  // namespace sparkprof
