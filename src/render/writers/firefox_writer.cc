// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text/json_writer.h"
#include "base/time.h"
#include "base/version.h"
#include "render/writers/profile_writers.h"

namespace sparkprof {
namespace {

constexpr int kVersion = 57;
constexpr int kGeckoVersion = 30;

// Categories of frames, by their position.
struct Category {
  const char* name;
  const char* color;
};
constexpr Category kCategories[] = {
    {"Other", "grey"}, {"Java", "green"}, {"Native", "blue"}, {"Kernel", "orange"}, {"Python", "yellow"}};

int CategoryOf(FrameKind kind) {
  switch (kind) {
    case FrameKind::kJit:
    case FrameKind::kInterpreted:
    case FrameKind::kInlined:
      return 1;
    case FrameKind::kNative:
      return 2;
    case FrameKind::kKernel:
      return 3;
    case FrameKind::kPython:
      return 4;
    default:
      return 0;
  }
}

class FirefoxWriter {
 public:
  explicit FirefoxWriter(const Profile& profile) : profile_(profile) {
    start_ns_ = profile.start_ns;
    for (const Sample& sample : profile.samples) {
      if (sample.time_ns == kNoTime) continue;
      if (start_ns_ == kNoTime || (profile.start_ns == kNoTime && sample.time_ns < start_ns_))
        start_ns_ = sample.time_ns;
    }
    if (start_ns_ == kNoTime) start_ns_ = 0;
  }

  std::string Write() {
    json_.BeginObject();
    WriteMeta();
    json_.Key("libs").BeginArray().EndArray().Key("pages").BeginArray().EndArray();
    std::map<std::pair<uint32_t, uint32_t>, std::vector<Sample>> groups;
    for (const Sample& sample : profile_.samples) groups[{sample.thread, sample.event}].push_back(sample);
    json_.Key("threads").BeginArray();
    int number = 0;
    for (auto& [key, samples] : groups) WriteThread(key.first, key.second, number++, &samples);
    json_.EndArray();
    json_.Key("shared").BeginObject().Member("stringArray", string_order_).EndObject();
    return json_.EndObject().Take();
  }

 private:
  void WriteMeta() {
    const int64_t start_ms = start_ns_ / kNanosPerMilli;
    json_.Key("meta")
        .BeginObject()
        .Member("interval", 1)
        .Member("startTime", static_cast<double>(start_ms))
        .Member("processType", 0)
        .Member("product", profile_.name)
        .Member("importedFrom", NamedVersion())
        .Member("stackwalk", 1)
        .Member("debug", false)
        .Member("symbolicated", true)
        .Member("version", kGeckoVersion)
        .Member("preprocessedProfileVersion", kVersion)
        .Key("categories")
        .BeginArray();
    for (const Category& category : kCategories) {
      json_.BeginObject().Member("name", category.name).Member("color", category.color);
      json_.Key("subcategories").BeginArray().Value("Other").EndArray().EndObject();
    }
    json_.EndArray().Key("markerSchema").BeginArray().EndArray().EndObject();
  }

  size_t String(std::string_view text) {
    const auto [entry, is_new] = strings_.emplace(text, strings_.size());
    if (is_new) string_order_.push_back(text);
    return entry->second;
  }

  template <typename Value>
  void Repeat(std::string_view key, size_t count, const Value& value) {
    json_.Key(key).BeginArray();
    for (size_t i = 0; i < count; ++i) {
      if constexpr (std::is_same_v<Value, std::nullptr_t>) {
        json_.Null();
      } else {
        json_.Value(value);
      }
    }
    json_.EndArray();
  }

  template <typename Row, typename Value>
  void Column(std::string_view key, const std::vector<Row>& rows, Value&& value) {
    json_.Key(key).BeginArray();
    for (const Row& row : rows) value(row);
    json_.EndArray();
  }

  void WriteThread(uint32_t thread_row, EventId event_row, int number, std::vector<Sample>* samples) {
    const ProfileThread& thread = profile_.threads[thread_row];
    const ProfileEvent& event = profile_.events[event_row];
    std::stable_sort(samples->begin(), samples->end(),
                     [](const Sample& a, const Sample& b) { return a.time_ns < b.time_ns; });
    std::string name =
        thread.name.empty() ? (thread.tid == 0 ? profile_.name : std::to_string(thread.tid)) : thread.name;
    if (profile_.events.size() > 1) name += " (" + event.name + ")";
    json_.BeginObject()
        .Member("processType", "default")
        .Member("processName", profile_.name)
        .Member("processStartupTime", 0)
        .Key("processShutdownTime")
        .Null()
        .Member("registerTime", 0)
        .Key("unregisterTime")
        .Null()
        .Key("pausedRanges")
        .BeginArray()
        .EndArray()
        .Member("name", name)
        // Extensions for sparkprof itself, without a place in the format.
        .Member("sparkprofThread", thread.name)
        .Member("sparkprofEvent", event.name)
        .Member("isMainThread", number == 0)
        .Member("pid", std::to_string(thread.process))
        .Member("tid", thread.tid != 0 ? thread.tid : number);
    WriteTables(*samples, event);
    json_.EndObject();
  }

  void WriteTables(const std::vector<Sample>& samples, const ProfileEvent& event) {
    // Only stacks of this thread; a stack's row follows that of its prefix.
    std::vector<StackId> stacks;
    std::unordered_map<StackId, size_t> row_of_stack;
    std::vector<FrameId> frames;
    std::unordered_map<FrameId, size_t> row_of_frame;
    std::vector<StackId> path;
    for (const Sample& sample : samples) {
      path.clear();
      for (StackId id = sample.stack; id != 0 && row_of_stack.count(id) == 0; id = profile_.stacks.Get(id).parent) {
        path.push_back(id);
      }
      for (size_t i = path.size(); i > 0; --i) {
        row_of_stack.emplace(path[i - 1], stacks.size());
        stacks.push_back(path[i - 1]);
        const FrameId frame = profile_.stacks.Get(path[i - 1]).frame;
        if (row_of_frame.emplace(frame, frames.size()).second) frames.push_back(frame);
      }
    }
    const auto frame_of = [&](FrameId id) -> const Frame& { return profile_.frames.Get(id); };

    json_.Key("samples").BeginObject();
    json_.Member("weightType", event.unit == "bytes" ? "bytes" : event.unit == "ns" ? "tracing-ms" : "samples");
    Column("weight", samples, [&](const Sample& sample) {
      json_.Value(event.unit == "ns" ? static_cast<double>(sample.weight) / kNanosPerMilli
                                     : static_cast<double>(sample.weight));
    });
    Column("stack", samples,
           [&](const Sample& sample) { sample.stack == 0 ? json_.Null() : json_.Value(row_of_stack[sample.stack]); });
    double next = 0;
    Column("time", samples, [&](const Sample& sample) {
      json_.Value(sample.time_ns == kNoTime ? next++
                                            : static_cast<double>(sample.time_ns - start_ns_) / kNanosPerMilli);
    });
    json_.Member("length", samples.size()).EndObject();

    json_.Key("markers").BeginObject();
    for (const char* column : {"data", "name", "startTime", "endTime", "phase", "category"}) Repeat(column, 0, 0);
    json_.Member("length", 0).EndObject();

    json_.Key("stackTable").BeginObject();
    Column("frame", stacks, [&](StackId id) { json_.Value(row_of_frame[profile_.stacks.Get(id).frame]); });
    Column("prefix", stacks, [&](StackId id) {
      const StackId parent = profile_.stacks.Get(id).parent;
      parent == 0 ? json_.Null() : json_.Value(row_of_stack[parent]);
    });
    json_.Member("length", stacks.size()).EndObject();

    // One function per frame, so both tables have the same rows.
    json_.Key("frameTable").BeginObject();
    Repeat("address", frames.size(), -1);
    Repeat("inlineDepth", frames.size(), 0);
    Column("category", frames, [&](FrameId id) { json_.Value(CategoryOf(frame_of(id).kind)); });
    Repeat("subcategory", frames.size(), 0);
    size_t row = 0;
    Column("func", frames, [&](FrameId) { json_.Value(row++); });
    Repeat("nativeSymbol", frames.size(), nullptr);
    Repeat("innerWindowID", frames.size(), nullptr);
    Column("line", frames, [&](FrameId id) { json_.ValueOrNull(frame_of(id).line != 0, frame_of(id).line); });
    Repeat("column", frames.size(), nullptr);
    json_.Member("length", frames.size()).EndObject();

    json_.Key("funcTable").BeginObject();
    Repeat("isJS", frames.size(), false);
    Repeat("relevantForJS", frames.size(), false);
    Column("name", frames, [&](FrameId id) {
      const std::string_view name = profile_.strings.Get(frame_of(id).name);
      json_.Value(String(name.empty() ? "[unknown]" : name));
    });
    Repeat("resource", frames.size(), -1);
    Column("fileName", frames, [&](FrameId id) {
      if (frame_of(id).file == 0) {
        json_.Null();
      } else {
        json_.Value(String(profile_.strings.Get(frame_of(id).file)));
      }
    });
    Repeat("lineNumber", frames.size(), nullptr);
    Repeat("columnNumber", frames.size(), nullptr);
    json_.Member("length", frames.size()).EndObject();

    json_.Key("resourceTable").BeginObject();
    for (const char* column : {"lib", "name", "host", "type"}) Repeat(column, 0, 0);
    json_.Member("length", 0).EndObject();
    json_.Key("nativeSymbols").BeginObject();
    for (const char* column : {"libIndex", "address", "name", "functionSize"}) Repeat(column, 0, 0);
    json_.Member("length", 0).EndObject();
  }

  const Profile& profile_;
  int64_t start_ns_ = 0;
  JsonWriter json_;
  std::unordered_map<std::string_view, size_t> strings_;
  std::vector<std::string_view> string_order_;
};

}  // namespace

void WriteFirefox(const Profile& profile, OutputFile* output) {
  output->Append(FirefoxWriter(profile).Write());
  output->Append('\n');
}

}  // namespace sparkprof
