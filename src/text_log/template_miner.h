// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/flat_table.h"
#include "model/log_records.h"
#include "text_log/known_messages.h"

namespace sparkprof {

struct TemplateMinerOptions {
  size_t max_templates = 20'000;
  // Share of the tokens, without parameters, that two messages of one template must have in common; 1 = only
  // recognizable parameters may differ.
  double min_similarity = 0.65;
};

// Groups messages by template in one pass with bounded memory. A known Spark message has a fixed template. Any other is
// masked (message_mask.h) and joins the most similar template with the same number of tokens and the same first token,
// as in Drain (He et al., 2017), or starts a new one. Beyond the limit, the least recently used templates are dropped
// and counted. Not thread-safe.
class TemplateMiner {
 public:
  explicit TemplateMiner(TemplateMinerOptions options = {});

  // The ID of the message's template, starting at 1; IDs are not reused.
  uint32_t Add(std::string_view message, LogLevel level, int64_t time_ns);

  struct Template {
    uint32_t id = 0;
    LogTemplate values;  // `text` is filled by Templates()
  };
  // All that are known, in order of their ids.
  std::vector<Template> Templates() const;

  int64_t DroppedTemplates() const { return dropped_templates_; }
  int64_t DroppedRecords() const { return dropped_records_; }

 private:
  struct Cluster {
    uint32_t id = 0;  // 0: the slot is free
    uint64_t group = 0;
    uint64_t last_used = 0;
    std::vector<std::string> tokens;  // tokens of a mined template
    std::string known;                // wording of a known one
    LogTemplate values;
  };
  struct CacheSlot {
    uint64_t hash = 0;
    uint32_t cluster = 0;
    bool IsUsed() const { return hash != 0; }
    uint64_t Hash() const { return hash; }
    bool HasKeyOf(const CacheSlot& other) const { return hash == other.hash; }
  };

  uint32_t FindCluster(std::string_view message);
  uint32_t KnownCluster(size_t row);
  uint32_t MinedCluster();
  uint32_t NewCluster();
  void DropOldest();

  TemplateMinerOptions options_;
  const MessageTable* known_;
  std::vector<Cluster> clusters_;
  std::vector<uint32_t> free_;
  FlatTable<CacheSlot> cache_;  // by masked message
  std::unordered_map<uint64_t, std::vector<uint32_t>> groups_;
  std::unordered_map<std::string, uint32_t> known_clusters_;  // by wording
  std::string masked_;
  std::vector<std::string_view> tokens_;
  MessageValues values_;
  uint32_t next_id_ = 1;
  uint64_t clock_ = 0;
  int64_t dropped_templates_ = 0;
  int64_t dropped_records_ = 0;
};

}  // namespace sparkprof
