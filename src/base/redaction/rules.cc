// SPDX-License-Identifier: Apache-2.0
#include "base/redaction/rules.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "redaction_rules_text.h"

namespace sparkprof::redaction {
namespace {

std::string_view TakeItem(std::string_view* line) {
  while (!line->empty() && line->front() == ' ') line->remove_prefix(1);
  const std::string_view item = line->substr(0, line->find(' '));
  line->remove_prefix(item.size());
  return item;
}

std::string_view TakeField(std::string_view* item) {
  const size_t colon = item->rfind(':');
  const std::string_view field = item->substr(colon + 1);
  item->remove_suffix(item->size() - colon);
  return field;
}

// "curl:-u:" and "mysql:-p+": the last character is the form.
CommandRule CommandOf(std::string_view item) {
  const char form = item.back();
  item.remove_suffix(1);
  const size_t colon = item.find(':');
  return {item.substr(0, colon), item.substr(colon + 1), form};
}

}  // namespace

void WordSet::Sort() {
  std::sort(words_.begin(), words_.end());
  words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
}

bool WordSet::Contains(std::string_view word) const { return std::binary_search(words_.begin(), words_.end(), word); }

const Rules& Rules::Get() {
  static const Rules* const rules = new Rules();
  return *rules;
}

Rules::Rules() : bucket_of_(size_t{1} << 15), buckets_(1) {
  const std::pair<std::string_view, WordSet*> sets[] = {
      {"strong", &strong},         {"weak", &weak},
      {"maybe", &maybe},           {"header", &header},
      {"harmless", &harmless},     {"pair", &pair},
      {"inner-pair", &inner_pair}, {"harmless-pair", &harmless_pair},
      {"about", &about},           {"harmless-value", &harmless_value},
      {"scheme", &scheme},         {"label", &label}};
  std::vector<std::string_view> webhooks;
  std::string_view section;
  std::string_view text = kRulesText;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.starts_with('#')) continue;
    if (line.starts_with('[') && line.ends_with(']') && line.find(' ') == std::string_view::npos && line.size() > 2) {
      section = line.substr(1, line.size() - 2);
      continue;
    }
    for (std::string_view item = TakeItem(&line); !item.empty(); item = TakeItem(&line)) {
      const auto* const set =
          std::find_if(std::begin(sets), std::end(sets), [&](const auto& row) { return row.first == section; });
      if (set != std::end(sets)) {
        set->second->Add(item);
      } else if (section == "inside") {
        inside.push_back(item);
      } else if (section == "ending") {
        ending.push_back(item);
      } else if (section == "token") {
        const size_t least = static_cast<size_t>(std::atoi(TakeField(&item).data()));
        const char alphabet = TakeField(&item).front();
        tokens.push_back({item, alphabet, least});
      } else if (section == "webhook") {
        webhooks.push_back(item);
      } else if (section == "command") {
        commands.push_back(CommandOf(item));
      }
    }
  }
  for (const auto& [name, set] : sets) set->Sort();

  for (const WordSet* set : {&strong, &weak, &maybe, &header}) {
    for (const std::string_view word : set->Words()) AddTrigger(word, Trigger::kName);
  }
  for (const auto* list : {&inside, &ending}) {
    for (const std::string_view word : *list) AddTrigger(word, Trigger::kName);
  }
  for (const std::string_view two : pair.Words()) AddTrigger(two.substr(two.find('-') + 1), Trigger::kName);
  for (size_t row = 0; row < tokens.size(); ++row) AddTrigger(tokens[row].beginning, Trigger::kToken, row);
  for (const std::string_view webhook : webhooks) AddTrigger(webhook, Trigger::kWebhook);
  for (const CommandRule& rule : commands) AddTrigger(rule.command, Trigger::kCommand);
  AddTrigger("://", Trigger::kUrl);
  AddTrigger("thin:", Trigger::kOracle);
  AddTrigger("-----begin", Trigger::kPrivateKey);
  AddTrigger("bearer", Trigger::kScheme);
  AddTrigger("basic", Trigger::kScheme);
  AddTrigger("eyj", Trigger::kScheme);
  AddTrigger("identified by", Trigger::kIdentifiedBy);
}

// A literal shorter than three bytes may be followed by anything.
void Rules::AddTrigger(std::string_view literal, Trigger kind, size_t row) {
  const size_t known = std::min<size_t>(literal.size(), 3);
  uint32_t hash = 0;
  for (size_t i = 0; i < known; ++i) hash = Hash(hash, literal[i]);
  uint32_t count = 1;
  for (size_t i = known; i < 3; ++i) {
    hash <<= 5;
    count <<= 5;
  }
  for (uint32_t any = 0; any < count; ++any) {
    uint16_t& row_of_bucket = bucket_of_[hash + any];
    if (row_of_bucket == 0) {
      row_of_bucket = static_cast<uint16_t>(buckets_.size());
      buckets_.emplace_back();
    }
    std::vector<TriggerRule>& bucket = buckets_[row_of_bucket];
    const bool is_known = std::any_of(bucket.begin(), bucket.end(), [&](const TriggerRule& other) {
      return other.kind == kind && other.literal == literal;
    });
    if (is_known) continue;
    bucket.push_back({literal, kind, row});
    bits_[(hash + any) >> 6] |= uint64_t{1} << ((hash + any) & 63);
  }
}

}  // namespace sparkprof::redaction
