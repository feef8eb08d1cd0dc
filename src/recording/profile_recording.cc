// SPDX-License-Identifier: Apache-2.0
#include "recording/profile_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "base/time.h"
#include "model/redaction/redaction.h"
#include "model/samples/stack_tables.h"
#include "model/segment/block.h"

namespace sparkprof {
namespace {

constexpr std::string_view kRole = "profile";
constexpr size_t kProfileSamplesOfSegment = 100'000;

constexpr int64_t kDayNs = 24 * 3600 * kNanosPerSecond;

// Samples of one event, which share a source.
struct EventRows {
  std::optional<Event> known;
  std::string role;
  std::vector<const Sample*> samples;
};

std::vector<EventRows> RowsByEvent(const Profile& profile, int64_t* negative) {
  std::map<std::string, EventRows> by_role;
  std::vector<EventRows*> of_event(profile.events.size(), nullptr);
  for (size_t row = 0; row < profile.events.size(); ++row) {
    const ProfileEvent& event = profile.events[row];
    std::optional<Event> known = ParseEvent(event.name);
    if (known && EventUnit(*known) != event.unit) known.reset();
    // Events of one role with different numbers need separate rows, because rows have a number.
    const std::string role = known ? std::string(kRole) : fmt::format("{}:{}:{}", kRole, event.unit, event.name);
    EventRows& rows = by_role[known ? fmt::format("{} {}", kRole, event.name) : role];
    rows.known = known;
    rows.role = role;
    of_event[row] = &rows;
  }
  for (const Sample& sample : profile.samples) {
    if (sample.weight < 0 || sample.count < 0) {
      ++*negative;
    } else if (sample.weight > 0 || sample.count > 0) {
      of_event[sample.event]->samples.push_back(&sample);
    }
  }
  std::vector<EventRows> list;
  for (auto& [role, rows] : by_role) list.push_back(std::move(rows));
  return list;
}

int64_t TimeOffset(const Profile& profile, int64_t start_ns) {
  int64_t first_ns = INT64_MAX;
  for (const Sample& sample : profile.samples) {
    if (sample.time_ns != kNoTime) first_ns = std::min(first_ns, sample.time_ns);
  }
  if (profile.start_ns != kNoTime) first_ns = std::min(first_ns, profile.start_ns);
  if (first_ns == INT64_MAX || first_ns >= kFirstEpochTime) return 0;
  int64_t offset_ns = 0;
  return __builtin_sub_overflow(start_ns, first_ns, &offset_ns) ? 0 : offset_ns;
}

class SegmentsWriter {
 public:
  SegmentsWriter(const Profile& profile, const ProfileUpload& upload, const std::function<void(std::string_view)>& sink)
      : profile_(profile), upload_(upload), sink_(sink), offset_ns_(TimeOffset(profile, upload.start_ns)) {}

  void Write(const EventRows& rows, bool is_last) {
    for (size_t begin = 0; begin == 0 || begin < rows.samples.size(); begin += kProfileSamplesOfSegment) {
      const size_t end = std::min(rows.samples.size(), begin + kProfileSamplesOfSegment);
      Segment segment = NewSegment(rows.role);
      FillSamples(rows, begin, end, &segment);
      segment.final = upload_.is_complete && is_last && end == rows.samples.size();
      RedactSegment(&segment);
      sink_(EncodeBlock(segment));
    }
  }

  void AddNotice(std::string text) { notices_.push_back({upload_.start_ns, NoticeLevel::kWarning, std::move(text)}); }

 private:
  Segment NewSegment(const std::string& role) {
    Segment segment;
    segment.source.application_id = upload_.id;
    segment.source.application_name = upload_.name;
    segment.source.host = upload_.host.empty() ? std::string(kUnknownHost) : upload_.host;
    segment.source.role = role;
    segment.source.bucket_ns = upload_.bucket_ns;
    // Sequence numbers are in order of time; the anchor distinguishes uploads of the same time.
    segment.source.sequence = static_cast<uint64_t>(upload_.start_ns / kNanosPerMilli);
    segment.anchors = {{static_cast<int64_t>(upload_.key + segments_++), upload_.start_ns}, {0, upload_.end_ns}};
    segment.settings = {{"label", upload_.group}};
    for (const auto& [name, value] : upload_.labels) segment.settings.push_back({"label." + name, value});
    segment.notices = std::exchange(notices_, {});
    return segment;
  }

  void FillSamples(const EventRows& rows, size_t begin, size_t end, Segment* segment) {
    StackTables tables;
    StackCopier stacks(profile_, &tables);
    std::unordered_map<uint32_t, uint32_t> threads;
    SampleTable<SegmentSample> samples;
    for (size_t i = begin; i < end; ++i) {
      const Sample& sample = *rows.samples[i];
      const auto [thread, is_new] = threads.try_emplace(sample.thread, static_cast<uint32_t>(threads.size()));
      if (is_new) {
        const ProfileThread& known = profile_.threads[sample.thread];
        segment->threads.push_back({known.tid, tables.strings.Intern(known.name), known.process});
      }
      samples.Add({.bucket = Bucket(sample.time_ns),
                   .event = rows.known.value_or(Event::kMethod),
                   .state = sample.state,
                   .thread = thread->second,
                   .stack = stacks.Copy(sample.stack),
                   .weight = sample.weight,
                   .count = sample.count});
    }
    segment->samples = samples.Take();
    segment->strings = std::move(tables.strings);
    segment->frames = std::move(tables.frames);
    segment->stacks = std::move(tables.stacks);
  }

  int64_t Bucket(int64_t time_ns) const {
    int64_t epoch_ns = upload_.start_ns;
    const bool fits = time_ns != kNoTime && !__builtin_add_overflow(time_ns, offset_ns_, &epoch_ns);
    if (!fits || epoch_ns < kFirstEpochTime || epoch_ns > EpochNanos() + kDayNs) epoch_ns = upload_.start_ns;
    return epoch_ns / upload_.bucket_ns;
  }

  const Profile& profile_;
  const ProfileUpload& upload_;
  const std::function<void(std::string_view)>& sink_;
  const int64_t offset_ns_;
  uint64_t segments_ = 0;
  std::vector<Notice> notices_;
};

}  // namespace

void WriteProfileRecording(Profile profile, const ProfileUpload& upload,
                           const std::function<void(std::string_view block)>& sink) {
  int64_t negative = 0;
  const std::vector<EventRows> events = RowsByEvent(profile, &negative);
  SegmentsWriter writer(profile, upload, sink);
  for (const std::string& note : profile.notes) writer.AddNotice(note);
  if (negative > 0) writer.AddNotice(fmt::format("{} samples with negative values dropped", negative));
  if (profile.damaged > 0) {
    writer.AddNotice(fmt::format("{} lines or records skipped, the first: {}", profile.damaged, profile.first_damage));
  }
  if (events.empty()) writer.Write({.known = {}, .role = std::string(kRole), .samples = {}}, /*is_last=*/true);
  for (const EventRows& rows : events) writer.Write(rows, &rows == &events.back());
}

bool IsProfileSource(const Source& source) {
  return source.role.starts_with(kRole) && (source.role.size() == kRole.size() || source.role[kRole.size()] == ':');
}

bool IsJoinedProfile(const Source& source) { return IsProfileSource(source) && !source.executor_id.empty(); }

bool HasNamedEvent(const Source& source, ProfileEvent* event) {
  if (!IsProfileSource(source) || source.role.size() == kRole.size()) return false;
  const std::string_view text = std::string_view(source.role).substr(kRole.size() + 1);
  const size_t colon = text.find(':');
  event->unit = text.substr(0, colon);
  event->name = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  return true;
}

}  // namespace sparkprof
