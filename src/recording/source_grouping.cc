// SPDX-License-Identifier: Apache-2.0
#include "recording/source_grouping.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/memory_limit.h"
#include "base/parallel.h"
#include "model/hash_bytes.h"
#include "recording/event_log_recording.h"
#include "recording/node_join.h"

namespace sparkprof {
namespace {

std::string KeyOf(const std::string& process, uint64_t sequence, const std::vector<ClockAnchor>& anchors) {
  std::string key = process + "/" + std::to_string(sequence);
  for (const ClockAnchor& anchor : anchors) key += "/" + std::to_string(anchor.monotonic_ns);
  return key;
}

bool IsSameContent(uint64_t a, uint64_t b) { return a == b || a == 0 || b == 0; }

bool Conflict(const std::string& a, const std::string& b) { return !a.empty() && !b.empty() && a != b; }

bool IsWhole(const RecordedSource& source) {
  uint64_t expected = 0;
  bool is_final = false;
  for (const RecordedSegment& segment : source.segments) {
    const bool is_repeated = segment.Sequence() + 1 == expected;  // repeated number with other content
    if (!is_repeated && segment.Sequence() != expected++) return false;
    is_final = is_final || segment.IsFinal();
  }
  return is_final;
}

void SortBySequence(RecordedSource* source) {
  std::stable_sort(source->segments.begin(), source->segments.end(),
                   [](const RecordedSegment& a, const RecordedSegment& b) { return a.Sequence() < b.Sequence(); });
}

bool IsDriver(const RecordedSource& source) {
  const std::string& role = source.segments.back().GetSource().role;
  return role == "driver" || role == "local";
}

// The attempt of a source without one: the latest that started before the source.
std::string AttemptAt(const std::map<std::string, int64_t>& attempts, int64_t time_ns) {
  std::string best;
  int64_t best_ns = 0;
  for (const auto& [attempt, begin_ns] : attempts) {
    if (best.empty() || (begin_ns <= time_ns && (best_ns > time_ns || begin_ns >= best_ns))) {
      best = attempt;
      best_ns = begin_ns;
    }
  }
  return best;
}

}  // namespace

std::string ProcessOf(const Source& source) {
  return source.boot_id + "/" + source.host + "/" + std::to_string(source.pid) + "/" +
         std::to_string(source.start_ticks);
}

std::string ProcessHash(const std::string& process) { return fmt::format("{:016x}", HashBytes(process)); }

SegmentNumber::SegmentNumber(const Segment& segment)
    : key(HashBytes(KeyOf(ProcessOf(segment.source), segment.source.sequence, segment.anchors))),
      content(segment.content) {}

KnownSegments::Answer KnownSegments::Add(const SegmentNumber& segment) {
  if (Has(segment)) return Answer::kCopy;
  if (contents_.try_emplace(segment.key, segment.content).second) return Answer::kNew;
  others_.emplace(segment.key, segment.content);
  return Answer::kOtherContent;
}

bool KnownSegments::Has(const SegmentNumber& segment) const {
  const auto known = contents_.find(segment.key);
  if (known == contents_.end()) return false;
  if (IsSameContent(known->second, segment.content)) return true;
  const auto [begin, end] = others_.equal_range(segment.key);
  return std::any_of(begin, end, [&](const auto& other) { return IsSameContent(other.second, segment.content); });
}

void KnownSegments::Clear() {
  contents_.clear();
  others_.clear();
}

int64_t RecordedSource::FirstNanos() const {
  for (const RecordedSegment& segment : segments) {
    if (!segment.Anchors().empty()) return segment.Anchors().front().epoch_ns;
  }
  return 0;
}

void SourceGrouping::BeginFile() {
  first_of_file_ = sources_.size();
  source_of_process_.clear();
}

void SourceGrouping::AddFile(RecordedFile&& file) {
  const RecordingStatus& status = file.status;
  BeginFile();
  for (RecordedSegment& segment : file.segments) Add(std::move(segment));
  EndFile(status.damaged_blocks + status.skipped_bytes + status.cut_bytes > 0);
}

void SourceGrouping::ReadFiles(const std::vector<std::string>& paths,
                               const std::function<void(size_t row, const Result<RecordingStatus>& status)>& done) {
  constexpr size_t kFilesAtOnce = 64;
  for (size_t begin = 0; begin < paths.size(); begin += kFilesAtOnce) {
    const size_t count = std::min(paths.size() - begin, kFilesAtOnce);
    std::vector<char> are_kept;
    for (size_t row = begin; row < begin + count; ++row) {
      std::error_code error;
      const uintmax_t size = std::filesystem::file_size(paths[row], error);
      are_kept.push_back(!error && IsKept(size) ? 1 : 0);
    }
    std::vector<std::optional<Result<RecordedFile>>> files(count);
    ForEachInParallel(count, MemoryLimit::Threads(),
                      [&](size_t row) { files[row] = ReadRecordedFile(paths[begin + row], are_kept[row] != 0); });
    for (size_t row = 0; row < count; ++row) {
      Result<RecordedFile>& file = *files[row];
      if (!file) {
        done(begin + row, tl::unexpected(file.error()));
        continue;
      }
      const RecordingStatus status = file->status;
      AddFile(std::move(*file));
      done(begin + row, status);
    }
  }
}

bool SourceGrouping::IsKept(uint64_t file_bytes) {
  constexpr uint64_t kMaxBytes = uint64_t{4} << 20;
  if (kept_bytes_ + file_bytes > kMaxBytes) return false;
  kept_bytes_ += file_bytes;
  return true;
}

void SourceGrouping::Add(RecordedSegment&& segment) {
  const Source& of_segment = segment.GetSource();
  // The application is described by other segments.
  if (IsEventLogSource(of_segment)) return;
  std::string process = ProcessOf(of_segment);
  const auto [place, is_new] = source_of_process_.try_emplace(process, sources_.size());
  const auto continues = [&](const RecordedSource& source) {
    return segment.Sequence() > source.segments.back().Sequence() &&
           !Conflict(of_segment.application_id, source.application_id);
  };
  if (is_new || !continues(sources_[place->second].source)) {
    place->second = sources_.size();
    sources_.push_back({{}, std::move(process), false});
  }
  RecordedSource& source = sources_[place->second].source;
  if (!of_segment.application_id.empty()) source.application_id = of_segment.application_id;
  if (!of_segment.application_attempt.empty()) source.application_attempt = of_segment.application_attempt;
  if (!source.segments.empty()) segment.ShareSource(source.segments.back());
  source.segments.push_back(std::move(segment));
}

void SourceGrouping::EndFile(bool damaged) {
  for (size_t source = first_of_file_; source < sources_.size(); ++source) sources_[source].damaged = damaged;
}

std::vector<SourceGrouping::OpenSource> SourceGrouping::Merge() {
  std::vector<OpenSource> merged;
  struct Known {
    size_t source;
    uint64_t content;
  };
  std::multimap<std::string, Known> by_segment;
  const auto find_copy = [&](const OpenSource& open, const RecordedSegment& segment) -> const Known* {
    const auto [begin, end] = by_segment.equal_range(KeyOf(open.process, segment.Sequence(), segment.Anchors()));
    const auto found = std::find_if(
        begin, end, [&](const auto& known) { return IsSameContent(known.second.content, segment.Content()); });
    return found == end ? nullptr : &found->second;
  };
  std::map<std::pair<std::string, std::string>, size_t> by_application;  // key: process and application ID
  for (OpenSource& open : std::exchange(sources_, {})) {
    size_t same = merged.size();
    for (const RecordedSegment& segment : open.source.segments) {
      const Known* const copy = find_copy(open, segment);
      if (copy != nullptr && !segment.Anchors().empty()) same = copy->source;
    }
    if (same == merged.size() && !open.source.application_id.empty()) {
      const auto found = by_application.find({open.process, open.source.application_id});
      if (found != by_application.end()) same = found->second;
    }
    if (same == merged.size()) merged.push_back({{}, open.process, false});
    OpenSource& target = merged[same];
    target.damaged = target.damaged || open.damaged;
    if (!open.source.application_id.empty()) target.source.application_id = open.source.application_id;
    if (!open.source.application_attempt.empty()) target.source.application_attempt = open.source.application_attempt;
    by_application[{target.process, target.source.application_id}] = same;
    for (RecordedSegment& segment : open.source.segments) {
      const Known* const copy = find_copy(open, segment);
      if (copy != nullptr && copy->source == same) continue;
      by_segment.emplace(KeyOf(open.process, segment.Sequence(), segment.Anchors()), Known{same, segment.Content()});
      target.source.segments.push_back(std::move(segment));
    }
  }
  for (OpenSource& open : merged) SortBySequence(&open.source);
  AdoptBeginnings(&merged);
  for (OpenSource& open : merged) open.source.whole = !open.damaged && IsWhole(open.source);
  return merged;
}

void SourceGrouping::AdoptBeginnings(std::vector<OpenSource>* sources) {
  for (OpenSource& beginning : *sources) {
    if (!beginning.source.application_id.empty()) continue;
    const RecordedSegment& last = beginning.source.segments.back();
    OpenSource* next = nullptr;
    for (OpenSource& open : *sources) {
      if (open.process != beginning.process || open.source.application_id.empty()) continue;
      if (open.source.segments.front().Sequence() <= last.Sequence()) continue;
      if (open.source.FirstNanos() < beginning.source.FirstNanos()) continue;
      if (next == nullptr || open.source.FirstNanos() < next->source.FirstNanos()) next = &open;
    }
    if (next == nullptr) continue;
    next->damaged = next->damaged || beginning.damaged;
    std::move(beginning.source.segments.begin(), beginning.source.segments.end(),
              std::back_inserter(next->source.segments));
    beginning.source.segments.clear();
    SortBySequence(&next->source);
  }
  std::erase_if(*sources, [](const OpenSource& open) { return open.source.segments.empty(); });
}

std::vector<RecordedApplication> SourceGrouping::Take() {
  std::vector<OpenSource> sources = Merge();
  std::map<std::string, std::map<std::string, int64_t>> attempts;  // by application ID; start time by attempt
  for (const OpenSource& open : sources) {
    const RecordedSource& source = open.source;
    if (source.application_attempt.empty()) continue;
    const auto [place, is_new] =
        attempts[source.application_id].try_emplace(source.application_attempt, source.FirstNanos());
    if (!is_new) place->second = std::min(place->second, source.FirstNanos());
  }
  std::map<std::pair<std::string, std::string>, RecordedApplication> applications;
  for (OpenSource& open : sources) {
    RecordedSource& source = open.source;
    if (source.application_attempt.empty()) {
      source.application_attempt = AttemptAt(attempts[source.application_id], source.FirstNanos());
    }
    RecordedApplication& application = applications[{source.application_id, source.application_attempt}];
    application.id = source.application_id.empty() ? kUnidentified : source.application_id;
    application.attempt = source.application_attempt;
    application.sources.push_back(std::move(source));
  }
  std::vector<RecordedApplication> all;
  for (auto& [key, application] : applications) {
    std::stable_sort(application.sources.begin(), application.sources.end(),
                     [](const RecordedSource& a, const RecordedSource& b) {
                       return std::tuple(!IsDriver(a), a.FirstNanos()) < std::tuple(!IsDriver(b), b.FirstNanos());
                     });
    all.push_back(std::move(application));
  }
  JoinNodes(&all);
  JoinProfiles(&all);
  return all;
}

}  // namespace sparkprof
