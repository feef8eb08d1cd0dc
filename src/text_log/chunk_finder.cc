// SPDX-License-Identifier: Apache-2.0
#include "text_log/chunk_finder.h"

#include <algorithm>
#include <numeric>

#include "model/hash_bytes.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxStreams = 4096;
constexpr size_t kMaxPairs = size_t{1} << 20;
constexpr size_t kMaxSequence = size_t{1} << 22;
constexpr size_t kMaxPositions = 64;
constexpr size_t kMaxLines = 200;
// Two templates are in one chunk when this share of the first ones has its second, and their counts differ by no more.
constexpr double kLeastShare = 0.9;
constexpr int64_t kMaxMultiple = 4;
// Templates of about the same count that one is compared with.
constexpr size_t kMaxComparedChunks = 2048;

bool IsNear(int64_t a, int64_t b) {
  const int64_t difference = a > b ? a - b : b - a;
  return difference <= std::max<int64_t>(1, std::max(a, b) / 20);
}

}  // namespace

ChunkFinder::Stream* ChunkFinder::StreamOf(uint32_t file, std::string_view thread) {
  const uint64_t key = MixHash(file) ^ HashBytes(thread);
  const auto found = stream_index_.find(key);
  if (found != stream_index_.end()) return &streams_[found->second];
  // Too many threads: a new one replaces an old one.
  const auto place = static_cast<uint32_t>(streams_.size() < kMaxStreams ? streams_.size() : key % kMaxStreams);
  if (place == streams_.size()) {
    streams_.emplace_back();
  } else {
    stream_index_.erase(streams_[place].key);
    streams_[place] = {};
  }
  streams_[place].key = key;
  stream_index_[key] = place;
  return &streams_[place];
}

void ChunkFinder::Add(uint32_t template_id, uint32_t file, std::string_view thread, int64_t line, int64_t time_ns) {
  ++position_;
  if (template_id >= templates_.size()) templates_.resize(template_id + 1);
  Template& second = templates_[template_id];
  ++second.count;
  if (second.places.size() < kMaxPlaces) second.places.push_back({file, line, time_ns});
  if (time_ns > 0 && second.first_ns == 0) second.first_ns = time_ns;
  second.last_ns = std::max(second.last_ns, time_ns);
  Stream& stream = *StreamOf(file, thread);
  const auto stream_row = static_cast<uint32_t>(&stream - streams_.data());
  if (sequence_.size() < kMaxSequence) {
    if (second.positions.size() < kMaxPositions) second.positions.push_back(sequence_.size());
    sequence_.push_back({template_id, stream_row});
  }
  if (open_.Size() > kMaxPairs) open_ = {};
  // Oldest first, so that firsts and seconds are matched in order.
  for (size_t i = 0; i < stream.size; ++i) {
    const size_t at = (stream.next + kWindow - stream.size + i) % kWindow;
    const uint32_t first = stream.window[at].template_id;
    if (first == template_id) continue;
    Pair wanted;
    wanted.key = (PairKey(first, template_id) ^ MixHash(stream.key)) | 1;
    Pair* open = open_.Find(wanted);
    if (open == nullptr) {
      open_.Insert(wanted);
      open = open_.Find(wanted);
    }
    if (open->second == position_ || open->matched >= stream.positions[at]) continue;
    open->second = position_;
    open->matched = stream.positions[at];
    Pair counted;
    counted.key = PairKey(first, template_id);
    Pair* pair = pairs_.Find(counted);
    if (pair == nullptr) {
      if (pairs_.Size() > kMaxPairs) continue;
      pairs_.Insert(counted);
      pair = pairs_.Find(counted);
    }
    ++pair->count;
  }
  stream.window[stream.next] = {template_id, stream_row};
  stream.positions[stream.next] = position_;
  stream.next = (stream.next + 1) % kWindow;
  stream.size = std::min(stream.size + 1, kWindow);
}

int64_t ChunkFinder::PairCount(uint32_t first, uint32_t second) const {
  Pair wanted;
  wanted.key = PairKey(first, second);
  const Pair* const pair = pairs_.Find(wanted);
  return pair == nullptr ? 0 : pair->count;
}

// One repetition: from the template that was seen first, the shortest stretch of its stream that has all members.
LogChunk ChunkFinder::MakeChunk(const std::vector<std::pair<uint32_t, int64_t>>& members) const {
  LogChunk chunk;
  uint32_t start = members.front().first;
  chunk.repeats = templates_[start].count;
  for (const auto& [id, multiple] : members) {
    const std::vector<uint64_t>& positions = templates_[id].positions;
    const std::vector<uint64_t>& best = templates_[start].positions;
    if (!positions.empty() && (best.empty() || positions[0] < best[0])) start = id;
    chunk.repeats = std::min(chunk.repeats, templates_[id].count / multiple);
  }
  size_t shortest = SIZE_MAX;
  for (const uint64_t begin : templates_[start].positions) {
    std::unordered_map<uint32_t, int64_t> missing(members.begin(), members.end());
    const auto wanted =
        static_cast<size_t>(std::accumulate(members.begin(), members.end(), int64_t{0},
                                            [](int64_t sum, const auto& member) { return sum + member.second; }));
    std::vector<uint32_t> found;
    size_t at = begin;
    for (size_t walked = 0; at < sequence_.size() && walked < kWindow * 4 && found.size() < wanted; ++at, ++walked) {
      if (sequence_[at].stream != sequence_[begin].stream) continue;
      const auto member = missing.find(sequence_[at].template_id);
      if (member == missing.end() || member->second == 0) continue;
      --member->second;
      found.push_back(sequence_[at].template_id);
    }
    if (found.size() > chunk.templates.size() || (found.size() == chunk.templates.size() && at - begin < shortest)) {
      shortest = at - begin;
      chunk.templates = std::move(found);
    }
  }
  const Template& first = templates_[start];
  chunk.where = first.places;
  chunk.first_ns = first.first_ns;
  chunk.last_ns = first.last_ns;
  for (const auto& [id, multiple] : members) chunk.last_ns = std::max(chunk.last_ns, templates_[id].last_ns);
  return chunk;
}

std::vector<LogChunk> ChunkFinder::Chunks() const {
  std::vector<uint32_t> repeated;  // by count
  for (uint32_t id = 0; id < templates_.size(); ++id) {
    if (templates_[id].count > 1) repeated.push_back(id);
  }
  std::stable_sort(repeated.begin(), repeated.end(),
                   [&](uint32_t a, uint32_t b) { return templates_[a].count < templates_[b].count; });
  std::vector<bool> is_taken(templates_.size());
  std::vector<LogChunk> chunks;
  for (size_t i = 0; i < repeated.size(); ++i) {
    const uint32_t anchor = repeated[i];
    if (is_taken[anchor]) continue;
    is_taken[anchor] = true;
    const int64_t count = templates_[anchor].count;
    std::vector<std::pair<uint32_t, int64_t>> members = {{anchor, 1}};
    const auto follows = [&](uint32_t other) {
      const auto least = static_cast<int64_t>(kLeastShare * static_cast<double>(count));
      return PairCount(anchor, other) >= least || PairCount(other, anchor) >= least;
    };
    for (int64_t multiple = 1; multiple <= kMaxMultiple && members.size() < kMaxLines; ++multiple) {
      // Sorts by count; a repeated line within a chunk needs some repeats.
      if (multiple > 1 && (count < 5 || members.size() == 1)) break;
      const int64_t lowest = count * multiple - std::max<int64_t>(1, count * multiple / 20);
      auto other = std::lower_bound(repeated.begin(), repeated.end(), lowest,
                                    [&](uint32_t id, int64_t wanted) { return templates_[id].count < wanted; });
      for (size_t seen = 0; other != repeated.end() && members.size() < kMaxLines && seen < kMaxComparedChunks;
           ++other, ++seen) {
        if (templates_[*other].count > count * multiple * 11 / 10 + 1) break;
        if (is_taken[*other] || !IsNear(templates_[*other].count, count * multiple) || !follows(*other)) continue;
        is_taken[*other] = true;
        members.emplace_back(*other, multiple);
      }
    }
    chunks.push_back(MakeChunk(members));
  }
  std::stable_sort(chunks.begin(), chunks.end(), [](const LogChunk& a, const LogChunk& b) {
    if (a.repeats != b.repeats) return a.repeats > b.repeats;
    return a.templates.size() > b.templates.size();
  });
  return chunks;
}

}  // namespace sparkprof
