// SPDX-License-Identifier: Apache-2.0
#include "formats/jfr_profile/jfr_profile_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/io/byte_source.h"
#include "base/saturate.h"
#include "base/text/text.h"
#include "formats/jfr/jfr_chunk_header.h"
#include "formats/jfr/jfr_reader.h"
#include "model/samples/profile.h"

namespace sparkprof {
namespace {

// Native memory that was never freed: async-profiler's malloc and free events, matched by address. Needs memory in
// proportion to their number.
class UnfreedMemory {
 public:
  struct Allocation {
    Sample sample;
    int64_t tid = 0;
  };

  // A kMalloc or kFree, in any order; `sample` is what becomes of it.
  void Add(const JfrSample& jfr, const Sample& sample) {
    calls_.push_back({jfr.epoch_ns, jfr.address, jfr.event == Event::kFree || jfr.weight <= 0, {sample, jfr.tid}});
  }

  // Unfreed allocations in order of time, without those in the last `tail` of the time (0.1 = a tenth), which may still
  // be freed.
  std::vector<Allocation> Take(double tail) {
    // A recording has each thread's calls in order, but not those of all.
    std::vector<Call> calls = std::exchange(calls_, {});
    std::stable_sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) { return a.time_ns < b.time_ns; });
    if (calls.empty()) return {};
    std::unordered_map<uint64_t, size_t> unfreed;
    for (size_t i = 0; i < calls.size(); ++i) {
      if (calls[i].frees) {
        unfreed.erase(calls[i].address);
      } else {
        unfreed[calls[i].address] = i;
      }
    }
    std::vector<size_t> kept;
    kept.reserve(unfreed.size());
    for (const auto& [address, call] : unfreed) kept.push_back(call);
    std::sort(kept.begin(), kept.end());
    // Times are in order, so that no difference is negative.
    const auto since_first = [&](const Call& call) {
      return static_cast<double>(static_cast<uint64_t>(call.time_ns) - static_cast<uint64_t>(calls.front().time_ns));
    };
    const double last = since_first(calls.back()) * (1 - tail);
    std::vector<Allocation> allocations;
    for (const size_t call : kept) {
      if (since_first(calls[call]) <= last) allocations.push_back(calls[call].allocation);
    }
    return allocations;
  }

 private:
  struct Call {
    int64_t time_ns = 0;
    uint64_t address = 0;
    bool frees = false;
    Allocation allocation;
  };

  std::vector<Call> calls_;
};

constexpr std::string_view kCpuTime = "cpu-time";

bool IsCounted(Event event) { return event == Event::kCpu || event == Event::kWall; }

// A time on a thread.
struct Stretch {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
};

// A task's time on its thread.
struct TaskSpan {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  uint32_t task = 0;
};

class Handler : public JfrHandler {
 public:
  explicit Handler(ProfileBuilder* builder) : builder_(builder) { event_rows_.fill(kNoEvent); }

  void OnSample(const JfrSample& jfr) override {
    Sample sample = ToSample(jfr, jfr.event != Event::kMethod);
    sample.event = EventRow(jfr);
    sample.state = jfr.state;
    sample.weight = IsCounted(jfr.event) ? jfr.count : jfr.weight;
    // Larger allocations are sampled more often: each sample stands for the bytes between two samples.
    if (jfr.event == Event::kMalloc) sample.weight = std::max(sample.weight, malloc_interval_);
    if (jfr.event == Event::kMethod) AddSpan(jfr.tid, jfr.epoch_ns, jfr.duration_ns);
    if (builder_->options().unfreed_tail && (jfr.event == Event::kMalloc || jfr.event == Event::kFree)) {
      memory_.Add(jfr, sample);
    } else {
      Add(sample, jfr.tid);
    }
  }

  void OnOther(const JfrEventName& event, const JfrSample& jfr) override {
    Sample sample = ToSample(jfr, true);
    sample.event = builder_->AddEvent(event.name, event.lasts ? "ns" : "count");
    sample.weight = event.lasts ? jfr.weight : jfr.count;
    Add(sample, jfr.tid);
  }

  void OnSetting(const JfrSetting& setting) override {
    if (setting.name == "nativemem") malloc_interval_ = ParseInteger(setting.value).value_or(0);
  }

  void OnSpan(const JfrSpan& span) override {
    AddSpan(span.tid, span.epoch_ns, span.duration_ns);
    if (!builder_->options().keep_tasks) return;
    if (const std::optional<ProfileTask> task = ParseTaskTag(span.tag)) {
      int64_t end_ns = span.epoch_ns;
      AddSaturated(span.duration_ns, &end_ns);
      spans_[span.tid].push_back({span.epoch_ns, end_ns, builder_->AddTask(*task)});
    }
  }

  Result<void> Finish() {
    const ProfileReadOptions& options = builder_->options();
    if (options.unfreed_tail) {
      for (const UnfreedMemory::Allocation& unfreed : memory_.Take(*options.unfreed_tail)) {
        Add(unfreed.sample, unfreed.tid);
      }
    }
    if (options.min_span_ns && !has_spans_) {
      return Fail(fmt::format("{}: --latency: no spans (profiler.Span) and no traced methods (jdk.MethodTrace) in it",
                              options.name));
    }
    for (auto& [tid, spans] : long_spans_) Merge(&spans);
    for (auto& [tid, spans] : spans_) {
      std::sort(spans.begin(), spans.end(),
                [](const TaskSpan& a, const TaskSpan& b) { return a.begin_ns < b.begin_ns; });
    }
    for (auto& [sample, tid] : waiting_) {
      if (options.min_span_ns && !IsInLongSpan(tid, sample.time_ns)) continue;
      sample.task = TaskAt(tid, sample.time_ns);
      builder_->Add(sample);
    }
    // Alone, they are the recording's CPU samples.
    if (cpu_time_row_ != kNoEvent && event_rows_[static_cast<size_t>(Event::kCpu)] == kNoEvent) {
      builder_->profile().events[cpu_time_row_] = {std::string(EventName(Event::kCpu)), "count", std::string(kCpuTime)};
    }
    builder_->profile().default_event = DefaultEventOf(builder_->profile());
    return {};
  }

 private:
  struct Waiting {
    Sample sample;
    int64_t tid = 0;
  };

  // All but the event and its weight. `with_type`: the class is the leaf of the stack.
  Sample ToSample(const JfrSample& jfr, bool with_type) {
    Profile& profile = builder_->profile();
    Sample sample{.stack = jfr.stack, .time_ns = jfr.epoch_ns, .count = jfr.count};
    if (jfr.type != 0 && with_type) {
      sample.stack =
          profile.stacks.Push(sample.stack, profile.frames.Intern({.name = jfr.type, .kind = FrameKind::kSynthetic}));
    }
    if (builder_->options().keep_threads) {
      sample.thread = builder_->AddThread({.tid = jfr.tid, .name = std::string(profile.strings.Get(jfr.thread_name))});
    }
    return sample;
  }

  void Add(const Sample& sample, int64_t tid) {
    // A span is written at its end, after its samples.
    if (builder_->options().keep_tasks || builder_->options().min_span_ns) {
      waiting_.push_back({sample, tid});
    } else {
      builder_->Add(sample);
    }
  }

  void AddSpan(int64_t tid, int64_t begin_ns, int64_t duration_ns) {
    const std::optional<int64_t> least = builder_->options().min_span_ns;
    has_spans_ = true;
    int64_t end_ns = 0;
    if (!least || duration_ns < *least || __builtin_add_overflow(begin_ns, duration_ns, &end_ns)) return;
    long_spans_[tid].push_back({begin_ns, end_ns});
  }

  // Spans that overlap become one; in order.
  static void Merge(std::vector<Stretch>* spans) {
    std::sort(spans->begin(), spans->end(), [](const Stretch& a, const Stretch& b) { return a.begin_ns < b.begin_ns; });
    size_t last = 0;
    for (size_t i = 1; i < spans->size(); ++i) {
      if ((*spans)[i].begin_ns <= (*spans)[last].end_ns) {
        (*spans)[last].end_ns = std::max((*spans)[last].end_ns, (*spans)[i].end_ns);
      } else {
        (*spans)[++last] = (*spans)[i];
      }
    }
    spans->resize(last + 1);
  }

  bool IsInLongSpan(int64_t tid, int64_t time_ns) const {
    const auto found = long_spans_.find(tid);
    if (found == long_spans_.end()) return false;
    const auto after = std::upper_bound(found->second.begin(), found->second.end(), time_ns,
                                        [](int64_t time, const Stretch& span) { return time < span.begin_ns; });
    return after != found->second.begin() && time_ns < (after - 1)->end_ns;
  }

  EventId EventRow(const JfrSample& sample) {
    // JDK 25 can sample CPU time by two clocks at once: jdk.CPUTimeSample, which has a weight, and jdk.ExecutionSample.
    if (sample.event == Event::kCpu && sample.weight != 0) {
      if (cpu_time_row_ == kNoEvent) cpu_time_row_ = builder_->AddEvent(kCpuTime, "count");
      return cpu_time_row_;
    }
    EventId& row = event_rows_[static_cast<size_t>(sample.event)];
    if (row == kNoEvent) {
      row = builder_->AddEvent(EventName(sample.event), IsCounted(sample.event) ? "count" : EventUnit(sample.event));
    }
    return row;
  }

  uint32_t TaskAt(int64_t tid, int64_t time_ns) const {
    const auto found = spans_.find(tid);
    if (found == spans_.end()) return 0;
    const std::vector<TaskSpan>& spans = found->second;
    const auto after = std::upper_bound(spans.begin(), spans.end(), time_ns,
                                        [](int64_t time, const TaskSpan& span) { return time < span.begin_ns; });
    if (after == spans.begin()) return 0;
    const TaskSpan& span = *(after - 1);
    return time_ns < span.end_ns ? span.task : 0;
  }

  ProfileBuilder* builder_;
  std::array<EventId, static_cast<size_t>(Event::kMethod) + 1> event_rows_;
  EventId cpu_time_row_ = kNoEvent;
  int64_t malloc_interval_ = 0;  // bytes; from the settings of the recording
  UnfreedMemory memory_;
  std::vector<Waiting> waiting_;
  std::map<int64_t, std::vector<TaskSpan>> spans_;      // by tid
  std::map<int64_t, std::vector<Stretch>> long_spans_;  // by thread ID; those of at least the requested duration
  bool has_spans_ = false;
};

// The rest of a recording, from the next chunk on.
class Rest {
 public:
  virtual ~Rest() = default;
  // At least `size` bytes of it, fewer only at its end; valid until the next call.
  virtual Result<std::string_view> Peek(size_t size) = 0;
  virtual void Consume(size_t size) = 0;
};

class RestOfSource : public Rest {
 public:
  explicit RestOfSource(ByteSource* source) : source_(source) {}

  Result<std::string_view> Peek(size_t size) override {
    constexpr size_t kStep = size_t{1} << 20;  // a size in a header is not to be trusted with memory
    while (bytes_.size() < size) {
      const size_t before = bytes_.size();
      bytes_.resize(before + std::min(size - before, kStep));
      const Result<size_t> got = source_->Read(bytes_.data() + before, bytes_.size() - before);
      bytes_.resize(before + got.value_or(0));
      if (!got) return tl::unexpected(got.error());
      if (*got == 0) break;
    }
    return bytes_;
  }
  void Consume(size_t size) override { bytes_.erase(0, size); }

 private:
  ByteSource* source_;
  std::string bytes_;
};

class RestOfFile : public Rest {
 public:
  explicit RestOfFile(const MappedFile* file) : file_(file) {}

  Result<std::string_view> Peek(size_t) override { return file_->Bytes().substr(offset_); }
  void Consume(size_t size) override {
    offset_ += size;
    file_->Release(offset_);
    CountBytesRead(size);
  }

 private:
  const MappedFile* file_;
  size_t offset_ = 0;
};

Result<void> ReadChunks(Rest* rest, ProfileBuilder* builder) {
  Profile& profile = builder->profile();
  const std::string& name = builder->options().name;
  Handler handler(builder);
  JfrReader reader(&profile.strings, &profile.frames, &profile.stacks, &handler);
  uint64_t offset = 0;
  Result<void> outcome;
  while (outcome) {
    Result<std::string_view> bytes = rest->Peek(kJfrHeaderSize);
    if (bytes && bytes->empty()) break;
    const Result<JfrChunkHeader> header =
        !bytes ? tl::unexpected(bytes.error())
        : bytes->size() < kJfrHeaderSize
            ? Fail(fmt::format("{}: offset {}: expected a JFR chunk's header of {} bytes, found {}", name, offset,
                               kJfrHeaderSize, bytes->size()))
            : ParseJfrChunkHeader(*bytes, name, offset);
    if (!header) {
      // A file without any valid header is unreadable.
      const bool is_none = offset == 0 && bytes;
      outcome = is_none ? Result<void>(tl::unexpected(header.error())) : builder->Damaged(header.error().message);
      break;
    }
    bytes = rest->Peek(header->size);
    if (!bytes) {
      outcome = builder->Damaged(bytes.error().message);
      break;
    }
    if (bytes->size() < header->size || header->IsBeingWritten()) {
      outcome = builder->Damaged(fmt::format("offset {}: expected a complete JFR chunk of {} bytes, found {}", offset,
                                             header->size, bytes->size()));
      break;
    }
    const size_t size = header->size;
    const Result<JfrChunkStatus> status = reader.ReadChunk(bytes->substr(0, size), name, offset);
    if (!status) {
      outcome = builder->Damaged(status.error().message);
    } else if (status->damaged_events > 0) {
      outcome = builder->Damaged(fmt::format("offset {}: expected records that its metadata describes, found {} others",
                                             offset, status->damaged_events));
    }
    offset += size;
    rest->Consume(size);
  }
  Result<void> finished = handler.Finish();
  return outcome ? finished : outcome;
}

}  // namespace

std::optional<ProfileTask> ParseTaskTag(std::string_view tag) {
  constexpr size_t kStage = 0, kStageAttempt = 1, kPartition = 2, kTask = 3, kParts = 6;
  std::array<int64_t, kParts> values;
  values.fill(-1);
  const std::vector<std::string_view> parts = Split(tag, ',');
  if (parts.size() < 4) return std::nullopt;
  for (size_t i = 0; i < parts.size(); ++i) {
    std::string_view value = Trim(parts[i]);
    const size_t separator = value.find_first_of("=:");
    size_t place = i;
    if (separator != std::string_view::npos) {
      std::string name;
      for (const char c : Trim(value.substr(0, separator))) {
        if (c != '.' && c != '_' && c != '-') name += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
      }
      value = Trim(value.substr(separator + 1));
      const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
      place = has("status")                  ? kParts
              : has("partition")             ? kPartition
              : has("stage")                 ? (has("attempt") ? kStageAttempt : kStage)
              : has("task") || name == "tid" ? kTask
                                             : kParts;
    }
    if (place > kTask) continue;
    const std::optional<int64_t> number = ParseInteger(value);
    if (!number) return std::nullopt;
    values[place] = *number;
  }
  if (values[kTask] < 0 || values[kStage] < 0) return std::nullopt;
  return ProfileTask{values[kTask], values[kStage], values[kStageAttempt], values[kPartition]};
}

Result<void> ReadJfrProfile(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  RestOfSource rest(source.get());
  return ReadChunks(&rest, builder);
}

Result<void> ReadJfrProfileFile(const MappedFile& file, ProfileBuilder* builder) {
  RestOfFile rest(&file);
  return ReadChunks(&rest, builder);
}

}  // namespace sparkprof
