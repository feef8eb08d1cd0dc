// SPDX-License-Identifier: Apache-2.0
#include "text_log/template_miner.h"

#include <algorithm>

#include "base/hash_index.h"
#include "base/redaction/redaction.h"
#include "model/hash_bytes.h"
#include "text_log/message_mask.h"

namespace sparkprof {
namespace {

// Longer messages are identified by their start.
constexpr size_t kMaxMessage = 2048;
constexpr size_t kMaxCached = size_t{1} << 16;
// Clusters of a group that a message is compared with, the latest ones.
constexpr size_t kMaxComparedTemplates = 200;

bool IsVariable(std::string_view token) { return token.find(kWildcard) != std::string_view::npos; }

void SplitTokens(std::string_view text, std::vector<std::string_view>* tokens) {
  tokens->clear();
  while (!text.empty()) {
    const size_t begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) return;
    text.remove_prefix(begin);
    const size_t size = std::min(text.find(' '), text.size());
    tokens->push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
}

// A pattern's template without what differs only where a parameter is empty.
std::string Wording(std::string text) {
  if (text.ends_with(":<*>")) text.insert(text.size() - kWildcard.size(), " ");
  return text;
}

// Share of equal tokens among those that are not parameters in both; 1 for messages of parameters alone.
double Similarity(const std::vector<std::string>& known, const std::vector<std::string_view>& tokens) {
  size_t equal = 0, compared = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (known[i] == tokens[i]) {
      if (IsVariable(tokens[i])) continue;
      ++equal;
    } else if (known[i] == kWildcard) {
      continue;
    }
    ++compared;
  }
  return compared == 0 ? 1 : static_cast<double>(equal) / static_cast<double>(compared);
}

}  // namespace

TemplateMiner::TemplateMiner(TemplateMinerOptions options) : options_(options), known_(&AllMessages()) {}

uint32_t TemplateMiner::Add(std::string_view message, LogLevel level, int64_t time_ns) {
  message = message.substr(0, kMaxMessage);
  while (message.ends_with(' ')) message.remove_suffix(1);
  MaskMessage(message, &masked_);
  CacheSlot wanted{HashBytes(masked_) | 1, 0};
  const CacheSlot* const cached = cache_.Find(wanted);
  if (cached != nullptr) {
    wanted.cluster = cached->cluster;
  } else {
    wanted.cluster = FindCluster(message);
    if (cache_.Size() >= kMaxCached) cache_ = {};
    cache_.Insert(wanted);
  }
  Cluster& cluster = clusters_[wanted.cluster];
  cluster.last_used = ++clock_;
  ++cluster.values.count;
  ++cluster.values.levels[static_cast<size_t>(level)];
  if (time_ns > 0) {
    if (cluster.values.first_ns == 0 || time_ns < cluster.values.first_ns) cluster.values.first_ns = time_ns;
    cluster.values.last_ns = std::max(cluster.values.last_ns, time_ns);
  }
  return cluster.id;
}

uint32_t TemplateMiner::FindCluster(std::string_view message) {
  const size_t row = known_->Find(message, &values_);
  return row == MessageTable::kNone ? MinedCluster() : KnownCluster(row);
}

uint32_t TemplateMiner::KnownCluster(size_t row) {
  const char* const shared = known_->Message(row).wording;
  const std::string wording = shared != nullptr ? shared : Wording(known_->Pattern(row).Template());
  const auto found = known_clusters_.find(wording);
  if (found != known_clusters_.end()) return found->second;
  const uint32_t place = NewCluster();
  clusters_[place].known = wording;
  known_clusters_.emplace(wording, place);
  return place;
}

uint32_t TemplateMiner::MinedCluster() {
  SplitTokens(masked_, &tokens_);
  const std::string_view first = tokens_.empty() || IsVariable(tokens_[0]) ? std::string_view() : tokens_[0];
  const uint64_t group = HashBytes(first) ^ MixHash(tokens_.size());
  std::vector<uint32_t>& members = groups_[group];
  uint32_t best = HashIndex::kNone;
  double best_similarity = options_.min_similarity;
  const size_t begin = members.size() > kMaxComparedTemplates ? members.size() - kMaxComparedTemplates : 0;
  for (size_t i = begin; i < members.size(); ++i) {
    const std::vector<std::string>& known = clusters_[members[i]].tokens;
    if (known.size() != tokens_.size()) continue;
    const double similarity = Similarity(known, tokens_);
    if (similarity < best_similarity) continue;
    best = members[i];
    best_similarity = similarity;
  }
  if (best != HashIndex::kNone) {
    std::vector<std::string>& known = clusters_[best].tokens;
    for (size_t i = 0; i < known.size(); ++i) {
      if (known[i] != tokens_[i]) known[i] = kWildcard;
    }
    return best;
  }
  const uint32_t place = NewCluster();
  clusters_[place].group = group;
  clusters_[place].tokens.assign(tokens_.begin(), tokens_.end());
  groups_[group].push_back(place);  // NewCluster may have changed the groups
  return place;
}

uint32_t TemplateMiner::NewCluster() {
  if (clusters_.size() - free_.size() >= options_.max_templates) DropOldest();
  uint32_t place = static_cast<uint32_t>(clusters_.size());
  if (free_.empty()) {
    clusters_.emplace_back();
  } else {
    place = free_.back();
    free_.pop_back();
  }
  clusters_[place] = {};
  clusters_[place].id = next_id_++;
  return place;
}

// A tenth of them at once, so that the search for them does not count.
void TemplateMiner::DropOldest() {
  std::vector<uint64_t> used;
  for (const Cluster& cluster : clusters_) {
    if (cluster.id != 0) used.push_back(cluster.last_used);
  }
  const auto limit = used.begin() + static_cast<ptrdiff_t>(used.size() / 10);
  std::nth_element(used.begin(), limit, used.end());
  const uint64_t oldest_kept = *limit;
  for (uint32_t place = 0; place < clusters_.size(); ++place) {
    Cluster& cluster = clusters_[place];
    if (cluster.id == 0 || cluster.last_used >= oldest_kept) continue;
    ++dropped_templates_;
    dropped_records_ += cluster.values.count;
    if (cluster.known.empty()) {
      std::vector<uint32_t>& members = groups_[cluster.group];
      members.erase(std::remove(members.begin(), members.end(), place), members.end());
      if (members.empty()) groups_.erase(cluster.group);
    } else {
      known_clusters_.erase(cluster.known);
    }
    cluster = {};
    free_.push_back(place);
  }
  cache_ = {};
}

std::vector<TemplateMiner::Template> TemplateMiner::Templates() const {
  std::vector<Template> templates;
  for (const Cluster& cluster : clusters_) {
    if (cluster.id == 0) continue;
    Template& found = templates.emplace_back(Template{cluster.id, cluster.values});
    found.values.text = cluster.known;
    for (const std::string& token : cluster.tokens) {
      if (!found.values.text.empty()) found.values.text += ' ';
      found.values.text += token;
    }
    RedactInPlace(&found.values.text);
  }
  std::sort(templates.begin(), templates.end(), [](const Template& a, const Template& b) { return a.id < b.id; });
  return templates;
}

}  // namespace sparkprof
