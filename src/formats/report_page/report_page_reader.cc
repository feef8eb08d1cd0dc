// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/io/compression.h"
#include "base/saturate.h"
#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "formats/json/json_document.h"
#include "formats/read_input.h"
#include "formats/readers.h"
#include "model/samples/profile.h"

namespace sparkprof {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

constexpr std::string_view kElement = "<script id=\"sparkprof-data\"";
constexpr std::string_view kReportMagic = "SPRFRPT1";
constexpr size_t kReportHeaderSize = 12;  // kReportMagic and the length of the JSON
constexpr size_t kMaxPage = size_t{1} << 30;
constexpr size_t kMaxReportDepth = 1 << 16;  // plans of SQL queries nest deeply
constexpr int64_t kNoReportThread = 0xFFFF;

// A column of a table in the data of a report (docs/report-data.md). An absent or damaged column is empty.
class ReportColumn {
 public:
  ReportColumn() = default;
  ReportColumn(const simdjson::dom::object& table, std::string_view key, std::string_view area) {
    simdjson::dom::object column;
    if (!ObjectAt(table, key, &column)) return;
    type_ = TextAt(column, "column");
    width_ = type_ == "u8" ? 1 : type_ == "u16" ? 2 : type_ == "u32" || type_ == "i32" ? 4 : type_ == "f64" ? 8 : 0;
    const int64_t offset = IntegerAt(column, "offset", -1), count = IntegerAt(column, "count", -1);
    if (width_ == 0 || offset < 0 || count < 0 || static_cast<uint64_t>(offset) > area.size()) return;
    if (static_cast<uint64_t>(count) > (area.size() - static_cast<size_t>(offset)) / width_) return;
    bytes_ = area.substr(static_cast<size_t>(offset), static_cast<size_t>(count) * width_);
  }

  size_t Size() const { return width_ == 0 ? 0 : bytes_.size() / width_; }

  // A number of a column that is not f64; `fallback` behind the end of the column.
  int64_t Integer(size_t row, int64_t fallback) const {
    if (row >= Size()) return fallback;
    if (type_ == "u8") return Load<uint8_t>(row);
    if (type_ == "u16") return Load<uint16_t>(row);
    if (type_ == "u32") return Load<uint32_t>(row);
    return type_ == "i32" ? Load<int32_t>(row) : fallback;
  }
  double Real(size_t row) const {
    return row < Size() && type_ == "f64" ? Load<double>(row) : static_cast<double>(Integer(row, 0));
  }

 private:
  template <typename T>
  T Load(size_t row) const {
    T value;
    std::memcpy(&value, bytes_.data() + row * sizeof(T), sizeof(T));
    return value;
  }

  std::string_view type_;
  size_t width_ = 0;
  std::string_view bytes_;
};

// sparkprof's own pages: report.html, and the flame graphs that it writes as HTML. The samples in their data
// (docs/report-data.md) are merged by time bucket; what the page left out becomes a note. In a page that compares two
// profiles, the weights of the baseline are those of the event "before".
class ReportReader {
 public:
  ReportReader(std::string_view area, ProfileBuilder* builder) : area_(area), builder_(builder) {}

  Result<void> Read(const object& root) {
    object frames, stacks, samples;
    if (!ObjectAt(root, "frames", &frames) || !ObjectAt(root, "stacks", &stacks) ||
        !ObjectAt(root, "samples", &samples)) {
      return builder_->Damaged("offset 0: expected the samples of a report, found none");
    }
    array strings;
    if (ArrayAt(root, "strings", &strings)) {
      for (const element text : strings) strings_.push_back(TextOf(text));
    }
    ReadStacks(frames, stacks);
    ReadEvents(root);
    ReadThreads(root);
    ReadTasks(root);
    object application, dropped;
    if (ObjectAt(root, "application", &application)) start_ms_ = IntegerAt(application, "startTime", 0);
    if (ObjectAt(root, "dropped", &dropped) && !TextAt(dropped, "coarser").empty()) {
      builder_->Note(TextAt(dropped, "coarser"));
    }
    return ReadSamples(samples, IntegerAt(root, "bucketMs", 0));
  }

 private:
  std::string_view String(int64_t row) const {
    return row >= 0 && static_cast<size_t>(row) < strings_.size() ? strings_[static_cast<size_t>(row)]
                                                                  : std::string_view();
  }

  void ReadStacks(const object& frames, const object& stacks) {
    const ReportColumn name(frames, "name", area_), file(frames, "file", area_), line(frames, "line", area_),
        kind(frames, "kind", area_);
    std::vector<FrameId> frame_of_row;
    for (size_t row = 0; row < name.Size(); ++row) {
      const int64_t number = kind.Integer(row, 0);
      const bool has_kind = number <= static_cast<int64_t>(FrameKind::kSynthetic);
      frame_of_row.push_back(builder_->AddFrame(String(name.Integer(row, 0)),
                                                has_kind ? static_cast<FrameKind>(number) : FrameKind::kUnknown,
                                                String(file.Integer(row, 0)), line.Integer(row, 0)));
    }
    const ReportColumn parent(stacks, "parent", area_), callee(stacks, "frame", area_);
    for (size_t row = 0; row < parent.Size(); ++row) {
      const auto from = static_cast<size_t>(parent.Integer(row, 0)),
                 frame = static_cast<size_t>(callee.Integer(row, -1));
      const bool is_stack = row > 0 && from < row && frame < frame_of_row.size();
      stacks_.push_back(is_stack ? builder_->profile().stacks.Push(stacks_[from], frame_of_row[frame]) : 0);
    }
  }

  void ReadEvents(const object& root) {
    array events;
    if (!ArrayAt(root, "events", &events)) return;
    for (const element value : events) {
      object event;
      if (value.get(event) != simdjson::SUCCESS) continue;
      events_.emplace(IntegerAt(event, "id", -1), builder_->AddEvent(TextAt(event, "name"), TextAt(event, "unit")));
    }
    compares_ = TextAt(root, "startView").find("versus.thread=~before") != std::string_view::npos;
  }

  void ReadThreads(const object& root) {
    array threads;
    if (!ArrayAt(root, "threads", &threads)) return;
    for (const element value : threads) {
      object thread;
      if (value.get(thread) != simdjson::SUCCESS) {
        threads_.push_back({});
        continue;
      }
      const std::string_view name = TextAt(thread, "name");
      threads_.push_back({builder_->AddThread({.tid = IntegerAt(thread, "tid", 0), .name = std::string(name)}),
                          compares_ && name == "before"});
    }
  }

  void ReadTasks(const object& root) {
    object tasks;
    array stages;
    if (!ObjectAt(root, "tasks", &tasks)) return;
    std::vector<ProfileTask> of_stage;
    if (ArrayAt(root, "stages", &stages)) {
      for (const element value : stages) {
        object stage;
        of_stage.emplace_back();
        if (value.get(stage) != simdjson::SUCCESS) continue;
        of_stage.back() = {.stage = IntegerAt(stage, "stageId", -1),
                           .stage_attempt = IntegerAt(stage, "attemptId", -1)};
      }
    }
    const ReportColumn id(tasks, "taskId", area_), stage(tasks, "stage", area_), index(tasks, "index", area_);
    for (size_t row = 0; row < id.Size(); ++row) {
      const auto stage_row = static_cast<size_t>(stage.Integer(row, -1));
      ProfileTask task;
      if (stage_row < of_stage.size()) task = of_stage[stage_row];
      task.task = id.Integer(row, kNoTask);
      task.partition = index.Integer(row, -1);
      tasks_.push_back(builder_->AddTask(task));
    }
  }

  Result<void> ReadSamples(const object& samples, int64_t bucket_ms) {
    const ReportColumn bucket(samples, "bucket", area_), event(samples, "event", area_), stack(samples, "stack", area_),
        task(samples, "task", area_), thread(samples, "thread", area_), state(samples, "state", area_),
        weight(samples, "weight", area_), count(samples, "count", area_);
    std::optional<EventId> before;
    uint64_t unknown = 0;
    for (size_t row = 0; row < stack.Size(); ++row) {
      const auto known = events_.find(event.Integer(row, -1));
      const auto of_stack = static_cast<size_t>(stack.Integer(row, 0));
      if (known == events_.end() || of_stack >= stacks_.size()) {
        ++unknown;
        continue;
      }
      Sample sample{.stack = stacks_[of_stack], .event = known->second};
      const int64_t of_thread = thread.Integer(row, kNoReportThread), of_task = task.Integer(row, -1);
      if (static_cast<size_t>(of_thread) < threads_.size()) {
        const Thread& found = threads_[static_cast<size_t>(of_thread)];
        sample.thread = found.row;
        if (found.is_baseline) {
          if (!before) before = builder_->AddEvent("before", builder_->profile().events[known->second].unit);
          sample.event = *before;
        }
      }
      if (of_task >= 0 && static_cast<size_t>(of_task) < tasks_.size())
        sample.task = tasks_[static_cast<size_t>(of_task)];
      if (const int64_t number = state.Integer(row, 0); number <= static_cast<int64_t>(ThreadState::kSleeping)) {
        sample.state = static_cast<ThreadState>(number);
      }
      const int64_t time_ms = bucket.Integer(row, 0) * std::clamp<int64_t>(bucket_ms, 0, INT32_MAX);
      // Profiles without a clock start in 1970.
      if (start_ms_ > 0 || time_ms > 0) {
        sample.time_ns = NanosFromMillis(start_ms_) + NanosFromMillis(time_ms);
      }
      sample.weight = RoundSaturated(weight.Real(row));
      sample.count = count.Integer(row, 1);
      builder_->Add(sample);
    }
    if (unknown == 0) return {};
    return builder_->Damaged(
        fmt::format("offset 0: expected rows of the report's tables, found {} samples without", unknown));
  }

  struct Thread {
    uint32_t row = 0;
    bool is_baseline = false;  // the baseline of a page that compares
  };

  std::string_view area_;
  ProfileBuilder* builder_;
  int64_t start_ms_ = 0;
  bool compares_ = false;
  std::vector<std::string_view> strings_;
  std::vector<StackId> stacks_;
  std::unordered_map<int64_t, EventId> events_;  // by the page's ID
  std::vector<Thread> threads_;
  std::vector<uint32_t> tasks_;
};

// The data that the page embeds: `<script id="sparkprof-data" …>BASE64</script>`.
Result<std::string> EmbeddedData(std::string_view page, const std::string& name) {
  const size_t begin = page.rfind(kElement);
  const size_t open = begin == std::string_view::npos ? begin : page.find('>', begin);
  if (open == std::string_view::npos)
    return Fail(fmt::format("offset {}: expected the report's data, found the end", page.size()));
  const size_t close = page.find('<', open);
  const std::string_view text = page.substr(open + 1, close == std::string_view::npos ? close : close - open - 1);
  const std::optional<std::string> packed = Base64Decode(Trim(text));
  if (!packed) return Fail(fmt::format("offset {}: expected the report's data in base64", open + 1));
  return ReadAll(Decompress(ViewSource(*packed), name).get(), kMaxPage, name);
}

Result<void> ReadPage(std::string_view page, ProfileBuilder* builder) {
  const Result<std::string> data = EmbeddedData(page, builder->options().name);
  if (!data) return builder->Damaged(data.error().message);
  const std::string_view bytes = *data;
  size_t size = 0;
  if (bytes.size() >= kReportHeaderSize) {
    for (size_t i = kReportHeaderSize; i > kReportMagic.size(); --i)
      size = size << 8 | static_cast<unsigned char>(bytes[i - 1]);
  }
  if (!bytes.starts_with(kReportMagic) || bytes.size() < kReportHeaderSize || size > bytes.size() - kReportHeaderSize) {
    return builder->Damaged("offset 0: expected the data of a sparkprof report (SPRFRPT1)");
  }
  JsonDocument document;
  const std::unique_ptr<ByteSource> json = ViewSource(bytes.substr(kReportHeaderSize, size));
  const JsonDocument::Options options{.format = "the report's JSON", .max_depth = kMaxReportDepth};
  if (Result<void> read = document.Read(json.get(), options, builder); !read) return read;
  object root;
  if (document.Root().get(root) != simdjson::SUCCESS)
    return builder->Damaged("offset 0: expected a report as an object");
  // The columns start at a multiple of 8.
  const size_t area = std::min(bytes.size(), (kReportHeaderSize + size + 7) / 8 * 8);
  return ReportReader(bytes.substr(area), builder).Read(root);
}

}  // namespace

Result<void> ReadReportPage(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  const Result<std::string> page = ReadWhole(source.get(), kMaxPage, builder);
  if (!page) return tl::unexpected(page.error());
  Result<void> read = ReadPage(*page, builder);
  builder->profile().default_event = DefaultEventOf(builder->profile());
  return read;
}

bool LooksLikeReportPage(std::string_view head) {
  const size_t first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && head[first] == '<' && head.find("sparkprof-data") != std::string_view::npos;
}

}  // namespace sparkprof
