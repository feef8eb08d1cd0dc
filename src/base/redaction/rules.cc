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

Rules::Rules() {
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
    for (const std::string_view word : set->Words()) triggers.Add(word, TriggerKind::kName);
  }
  for (const auto* list : {&inside, &ending}) {
    for (const std::string_view word : *list) triggers.Add(word, TriggerKind::kName);
  }
  for (const std::string_view two : pair.Words()) triggers.Add(two.substr(two.find('-') + 1), TriggerKind::kName);
  for (size_t row = 0; row < tokens.size(); ++row) triggers.Add(tokens[row].beginning, TriggerKind::kToken, row);
  for (const std::string_view webhook : webhooks) triggers.Add(webhook, TriggerKind::kWebhook);
  for (const CommandRule& rule : commands) triggers.Add(rule.command, TriggerKind::kCommand);
  triggers.Add("://", TriggerKind::kUrl);
  triggers.Add("thin:", TriggerKind::kOracle);
  triggers.Add("-----begin", TriggerKind::kPrivateKey);
  triggers.Add("bearer", TriggerKind::kScheme);
  triggers.Add("basic", TriggerKind::kScheme);
  triggers.Add("eyj", TriggerKind::kScheme);
  triggers.Add("identified by", TriggerKind::kIdentifiedBy);
}

}  // namespace sparkprof::redaction
