// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/saturate.h"
#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "base/time.h"
#include "formats/json/json_document.h"
#include "formats/readers.h"
#include "formats/value_unit.h"
#include "model/samples/profile.h"

namespace sparkprof {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

template <typename T>
T At(const std::vector<T>& values, int64_t row, T fallback) {
  return row >= 0 && static_cast<size_t>(row) < values.size() ? values[static_cast<size_t>(row)] : fallback;
}

// The frame below all others, which is shown only where it is alone.
constexpr std::string_view kRoot = "(root)";

// A table of a Firefox profile: an object with an array for each column, or, in gecko profiles, a schema with the
// position of each column and rows as arrays.
class FirefoxTable {
 public:
  FirefoxTable() = default;
  explicit FirefoxTable(const simdjson::dom::object& table) : table_(table) {
    has_rows_ = ObjectAt(table, "schema", &schema_) && ArrayAt(table, "data", &rows_);
  }

  // The values of a column; empty without it. `read(element)` makes a value.
  template <typename Read>
  auto Column(std::string_view name, Read&& read) const {
    std::vector<decltype(read(simdjson::dom::element()))> values;
    simdjson::dom::array column;
    if (!table_) return values;
    if (!has_rows_) {
      if (!ArrayAt(*table_, name, &column)) return values;
      for (const simdjson::dom::element value : column) values.push_back(read(value));
      return values;
    }
    const int64_t position = IntegerAt(schema_, name, -1);
    if (position < 0) return values;
    for (const simdjson::dom::element row : rows_) {
      // Rows may end before their last columns.
      simdjson::dom::element value;
      simdjson::dom::array cells;
      const bool has_value = row.get(cells) == simdjson::SUCCESS &&
                             cells.at(static_cast<size_t>(position)).get(value) == simdjson::SUCCESS;
      values.push_back(has_value ? read(value) : read(row));
    }
    return values;
  }

  // Rows of other tables; -1 for null.
  std::vector<int64_t> Rows(std::string_view name) const {
    return Column(name, [](const simdjson::dom::element& value) { return IntegerOf(value, -1); });
  }
  std::vector<double> Reals(std::string_view name, double fallback) const {
    return Column(name, [&](const simdjson::dom::element& value) {
      double real = 0;
      return value.get(real) == simdjson::SUCCESS ? real : fallback;
    });
  }

 private:
  std::optional<simdjson::dom::object> table_;  // none: no column
  simdjson::dom::object schema_;
  simdjson::dom::array rows_;
  bool has_rows_ = false;
};

// Profiles of the Firefox Profiler: processed ones (preprocessedProfileVersion, in which tables belong to a thread or,
// since version 60, to all), and those that Firefox itself writes ("gecko profiles", tables with a schema). The weights
// of samples decide on the event: samples, milliseconds ("wall") or bytes ("alloc"). Profiles by sparkprof name it.
class FirefoxReader {
 public:
  explicit FirefoxReader(ProfileBuilder* builder) : builder_(builder) {}

  // A profile, and those of its child processes.
  Result<void> Read(const object& root) {
    std::vector<object> pending{root};
    bool any = false;
    while (!pending.empty()) {
      const object profile = pending.back();
      pending.pop_back();
      array threads, processes;
      object wrapped;
      // Firefox's former developer tools wrapped the profile.
      if (ObjectAt(profile, "profile", &wrapped)) pending.push_back(wrapped);
      if (ArrayAt(profile, "threads", &threads)) {
        any = true;
        if (Result<void> read = ReadThreads(profile, threads); !read) return read;
      }
      if (!ArrayAt(profile, "processes", &processes)) continue;
      for (const element value : processes) {
        object process;
        if (value.get(process) == simdjson::SUCCESS) pending.push_back(process);
      }
    }
    if (others_ > 0) builder_->Note(fmt::format("{} samples of allocations not shown", others_));
    if (!any) return builder_->Damaged("offset 0: expected the threads of a Firefox profile, found none");
    return {};
  }

 private:
  Result<void> ReadThreads(const object& profile, const array& threads) {
    object meta;
    start_ns_ = 0;
    shared_.reset();
    has_shared_stacks_ = false;
    categories_.clear();
    if (ObjectAt(profile, "meta", &meta)) {
      element value;
      double start_ms = 0;
      if (Find(meta, "startTime", &value) && value.get(start_ms) == simdjson::SUCCESS && start_ms > 0 &&
          start_ms < 4e12) {
        start_ns_ = RoundSaturated(start_ms * static_cast<double>(kNanosPerMilli));
      }
      // Categories of other tools have other meanings.
      if (TextAt(meta, "importedFrom").starts_with("sparkprof")) ReadCategories(meta);
    }
    object shared;
    if (ObjectAt(profile, "shared", &shared)) shared_ = shared;
    size_t position = 0;
    for (const element value : threads) {
      object thread;
      const size_t index = position++;
      // A process of an old gecko profile may be text.
      if (value.get(thread) == simdjson::SUCCESS) {
        if (Result<void> read = ReadThread(thread, index); !read) return read;
      }
    }
    return {};
  }

  void ReadCategories(const object& meta) {
    array categories;
    if (!ArrayAt(meta, "categories", &categories)) return;
    for (const element value : categories) {
      object category;
      const std::string_view name = value.get(category) == simdjson::SUCCESS ? TextAt(category, "name") : "";
      categories_.push_back(name == "Java"     ? FrameKind::kJit
                            : name == "Native" ? FrameKind::kNative
                            : name == "Kernel" ? FrameKind::kKernel
                            : name == "Python" ? FrameKind::kPython
                                               : FrameKind::kUnknown);
    }
  }

  FirefoxTable Table(const object& thread, std::string_view name) const {
    object table;
    const bool found = ObjectAt(thread, name, &table) || (shared_ && ObjectAt(*shared_, name, &table));
    return found ? FirefoxTable(table) : FirefoxTable();
  }

  void ReadStrings(const object& thread) {
    strings_.clear();
    array strings;
    if (!ArrayAt(thread, "stringArray", &strings) && !ArrayAt(thread, "stringTable", &strings) &&
        !(shared_ && ArrayAt(*shared_, "stringArray", &strings))) {
      return;
    }
    for (const element text : strings) strings_.push_back(TextOf(text));
  }

  // Frames of processed profiles; those of gecko profiles are text: "f (file:12:3)".
  void ReadFrames(const object& thread) {
    frames_.clear();
    const FirefoxTable frame_table = Table(thread, "frameTable"), func_table = Table(thread, "funcTable");
    const std::vector<int64_t> locations = frame_table.Rows("location");
    for (const int64_t location : locations) frames_.push_back(FrameOf(At<std::string_view>(strings_, location, "")));
    if (!locations.empty()) return;
    const std::vector<int64_t> funcs = frame_table.Rows("func"), lines = frame_table.Rows("line"),
                               categories = frame_table.Rows("category"), names = func_table.Rows("name"),
                               func_lines = func_table.Rows("lineNumber"), sources = func_table.Rows("source");
    // Since version 58, a table has the names of files.
    const std::vector<int64_t> files =
        sources.empty() ? func_table.Rows("fileName") : Table(thread, "sources").Rows("filename");
    for (size_t row = 0; row < funcs.size(); ++row) {
      const auto at = static_cast<int64_t>(row);
      const int64_t func = funcs[row],
                    file = At<int64_t>(files, sources.empty() ? func : At<int64_t>(sources, func, -1), -1);
      const std::string_view name = At<std::string_view>(strings_, At<int64_t>(names, func, -1), "");
      const std::string_view path = At<std::string_view>(strings_, file, "");
      int64_t line = At<int64_t>(lines, at, -1);
      if (line <= 0 && !path.empty()) line = At<int64_t>(func_lines, func, -1);
      const FrameKind kind = At(categories_, At<int64_t>(categories, at, -1), FrameKind::kUnknown);
      frames_.push_back(name == kRoot ? 0 : builder_->AddFrame(name, kind, path, line));
    }
  }

  FrameId FrameOf(std::string_view location) {
    if (location == kRoot) return 0;
    const size_t open = location.rfind(" (");
    // Since version 32, the row of its source follows: "f (file:12:3)[4]".
    const size_t close = location.rfind(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
      return builder_->AddFrame(location);
    }
    std::string_view place = location.substr(open + 2, close - open - 2);
    // The line, and in newer versions the column.
    int64_t numbers[2] = {0, 0};
    size_t found = 0;
    for (size_t colon = place.rfind(':'); found < 2 && colon != std::string_view::npos; colon = place.rfind(':')) {
      const std::optional<int64_t> number = ParseInteger(place.substr(colon + 1));
      if (!number) break;
      numbers[found++] = *number;
      place = place.substr(0, colon);
    }
    if (found == 0) return builder_->AddFrame(location);
    return builder_->AddFrame(location.substr(0, open), FrameKind::kUnknown, place, numbers[found - 1]);
  }

  Result<void> ReadStacks(const object& thread, size_t index) {
    stacks_.clear();
    const FirefoxTable table = Table(thread, "stackTable");
    const std::vector<int64_t> frames = table.Rows("frame"), prefixes = table.Rows("prefix"),
                               offsets = table.Rows("prefixOffset");
    for (size_t row = 0; row < frames.size(); ++row) {
      const auto at = static_cast<int64_t>(row);
      const int64_t offset = At<int64_t>(offsets, at, 0);
      const int64_t prefix = offset > 0 ? at - offset : At<int64_t>(prefixes, at, -1);
      const FrameId frame = At<FrameId>(frames_, frames[row], 0);
      if (prefix >= at || prefix < -1) {
        const std::string what = fmt::format(
            "threads[{}].stackTable.prefix[{}]: expected the row of an earlier stack, found {}", index, row, prefix);
        if (Result<void> kept = builder_->Damaged(what); !kept) return kept;
      }
      const StackId caller = prefix < at ? At<StackId>(stacks_, prefix, 0) : 0;
      stacks_.push_back(frame == 0 ? caller : builder_->profile().stacks.Push(caller, frame));
    }
    return {};
  }

  Result<void> ReadThread(const object& thread, size_t index) {
    object own;
    const bool is_shared = !ObjectAt(thread, "stackTable", &own);
    if (!is_shared || !has_shared_stacks_) {
      ReadStrings(thread);
      ReadFrames(thread);
      if (Result<void> read = ReadStacks(thread, index); !read) return read;
      has_shared_stacks_ = is_shared;
    }
    CountOthers(thread);
    object samples;
    if (!ObjectAt(thread, "samples", &samples)) {
      return builder_->Damaged(fmt::format("threads[{}]: expected samples, found none", index));
    }
    AddSamples(thread, samples);
    return {};
  }

  void CountOthers(const object& thread) {
    object table;
    for (const char* name : {"nativeAllocations", "jsAllocations"}) {
      if (ObjectAt(thread, name, &table)) others_ += FirefoxTable(table).Rows("stack").size();
    }
  }

  Sample FirstSample(const object& thread, const object& samples) {
    const std::string_view weight_type = TextAt(samples, "weightType"), own_event = TextAt(thread, "sparkprofEvent");
    const char* const unit = weight_type == "tracing-ms" ? "ns" : weight_type == "bytes" ? "bytes" : "count";
    const bool is_own = !own_event.empty();
    Sample sample{.event = builder_->AddEvent(is_own ? own_event : EventOfUnit(unit), unit)};
    element value;
    ProfileThread of_samples{.tid = IntegerAt(thread, "tid", 0)};
    of_samples.name = std::string(TextAt(thread, is_own ? "sparkprofThread" : "name"));
    if (Find(thread, "pid", &value)) {
      const std::string_view text = TextOf(value);
      of_samples.process = text.empty() ? IntegerOf(value, 0) : ParseInteger(text).value_or(0);
    }
    sample.thread = builder_->AddThread(of_samples);
    return sample;
  }

  void AddSamples(const object& thread, const object& samples) {
    const FirefoxTable table(samples);
    const std::vector<int64_t> stacks = table.Rows("stack");
    const std::vector<double> weights = table.Reals("weight", 0), times = table.Reals("time", 0),
                              deltas = table.Reals("timeDeltas", 0);
    Sample sample = FirstSample(thread, samples);
    const std::string unit = builder_->profile().events[sample.event].unit;
    double elapsed_ms = 0;
    for (size_t row = 0; row < stacks.size(); ++row) {
      const auto at = static_cast<int64_t>(row);
      elapsed_ms = times.empty() ? elapsed_ms + At(deltas, at, 0.0) : At(times, at, 0.0);
      sample.stack = At<StackId>(stacks_, stacks[row], 0);
      // A stack that is the root alone; samples without a stack are skipped.
      if (sample.stack == 0 && stacks[row] >= 0 && static_cast<size_t>(stacks[row]) < stacks_.size()) {
        sample.stack = builder_->profile().stacks.Push(0, builder_->AddFrame(kRoot));
      }
      const double weight = weights.empty() ? 1 : At(weights, at, 0.0);
      sample.weight = RoundSaturated(unit == "ns" ? weight * static_cast<double>(kNanosPerMilli) : weight);
      sample.count = unit == "count" ? sample.weight : 1;
      sample.time_ns = RoundSaturated(elapsed_ms * static_cast<double>(kNanosPerMilli));
      AddSaturated(start_ns_, &sample.time_ns);
      if (sample.stack != 0 && sample.weight != 0) builder_->Add(sample);
    }
  }

  ProfileBuilder* builder_;
  std::optional<object> shared_;    // tables of all threads
  bool has_shared_stacks_ = false;  // the stacks read last are those of all threads
  int64_t start_ns_ = 0;
  uint64_t others_ = 0;  // samples that are not read
  std::vector<FrameKind> categories_;
  // Tables of the thread that is being read, or of all.
  std::vector<std::string_view> strings_;
  std::vector<FrameId> frames_;  // 0 = not a frame
  std::vector<StackId> stacks_;
};

}  // namespace

Result<void> ReadFirefox(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  JsonDocument document;
  if (Result<void> read = document.Read(source.get(), {.format = "a Firefox profile in JSON"}, builder); !read)
    return read;
  object profile;
  if (document.Root().get(profile) != simdjson::SUCCESS) {
    return builder->Damaged("offset 0: expected a Firefox profile as an object");
  }
  Result<void> read = FirefoxReader(builder).Read(profile);
  builder->profile().default_event = DefaultEventOf(builder->profile());
  return read;
}

bool LooksLikeFirefox(std::string_view head) {
  const JsonOutline outline(head);
  if (!outline.IsObject()) return false;
  if (outline.Has("meta.preprocessedProfileVersion") || outline.Has("threads.stackTable") ||
      outline.Has("libs.breakpadId") || (outline.Has("label") && outline.Has("duration") && outline.Has("markers"))) {
    return true;
  }
  return outline.Has("meta.stackwalk") || (outline.Has("meta.interval") && outline.Has("meta.startTime"));
}

}  // namespace sparkprof
