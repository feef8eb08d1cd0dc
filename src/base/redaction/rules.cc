// SPDX-License-Identifier: Apache-2.0
#include "base/redaction/rules.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/redaction/assignment.h"
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

// Parses "curl:-u:" and "mysql:-p+": the last character is the form.
CommandRule CommandOf(std::string_view item) {
  const char form = item.back();
  item.remove_suffix(1);
  const size_t colon = item.find(':');
  return {item.substr(0, colon), item.substr(colon + 1), form};
}

std::string_view SecondOf(std::string_view pair) { return pair.substr(pair.find('-') + 1); }

}  // namespace

const Rules& Rules::Get() {
  static const Rules* const rules = new Rules();
  return *rules;
}

Rules::Rules() {
  Lists lists;
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
    for (std::string_view item = TakeItem(&line); !item.empty(); item = TakeItem(&line)) lists[section].push_back(item);
  }
  AddWords(lists);
  AddNames(lists);
  AddShapes(lists);
}

void Rules::AddWords(const Lists& lists) {
  // The first section with a word counts.
  const std::pair<std::string_view, Secrecy> secrecies[] = {
      {"strong", Secrecy::kStrong},   {"weak", Secrecy::kWeak}, {"header", Secrecy::kHeader},
      {"session", Secrecy::kSession}, {"code", Secrecy::kCode}, {"maybe", Secrecy::kMaybe},
      {"harmless", Secrecy::kNone}};
  for (const auto& [section, secrecy] : secrecies) {
    for (const std::string_view word : lists.at(section)) words.try_emplace(word, secrecy);
  }
  const std::pair<std::string_view, Secrecy> kinds[] = {{"pair", Secrecy::kWeak},
                                                        {"inner-pair", Secrecy::kWeak},
                                                        {"glued-pair", Secrecy::kWeak},
                                                        {"session-pair", Secrecy::kSession},
                                                        {"code-pair", Secrecy::kCode}};
  for (const auto& [section, secrecy] : kinds) {
    for (const std::string_view pair : lists.at(section)) {
      pairs.try_emplace(pair, secrecy);
      seconds.insert(SecondOf(pair));
    }
  }
  const std::pair<std::string_view, WordSet*> sets[] = {
      {"harmless-pair", &harmless_pairs},   {"directive", &directives}, {"about", &about},
      {"harmless-value", &harmless_values}, {"scheme", &schemes},       {"label", &labels}};
  for (const auto& [section, set] : sets) set->insert(lists.at(section).begin(), lists.at(section).end());
  for (const std::string_view pair : harmless_pairs) seconds.insert(SecondOf(pair));
  inside = lists.at("inside");
  ending = lists.at("ending");
}

void Rules::AddNames(const Lists& lists) {
  const auto add = [this](std::string_view word) {
    triggers.Add(word, TriggerKind::kName);
    parts_of_names.Add(word, TriggerKind::kName);
  };
  for (const char* section : {"strong", "weak", "maybe", "header", "session", "code", "inside", "ending"}) {
    for (const std::string_view word : lists.at(section)) add(word);
  }
  for (const std::string_view pair : lists.at("pair")) add(SecondOf(pair));
  for (const std::string_view pair : lists.at("inner-pair")) {
    parts_of_names.Add(pair.substr(0, pair.find('-')), TriggerKind::kName);
  }
  parts_of_names.Add("key", TriggerKind::kName);
  AddGluedPairs(lists);
  for (const std::string_view name : lists.at("other-language")) AddWritings(name, &writings);
  for (const std::string_view word : lists.at("leet")) AddLeet(word, &writings);
  for (size_t row = 0; row < writings.size(); ++row)
    triggers.Add(BeginningOf(writings[row]), TriggerKind::kSpelling, row);
}

// Pairs of common words: a search stops only if both are present.
void Rules::AddGluedPairs(const Lists& lists) {
  for (const char* section : {"glued-pair", "session-pair", "code-pair"}) {
    for (const std::string_view pair : lists.at(section)) {
      const std::string_view first = pair.substr(0, pair.find('-'));
      for (const char* between : {"", "_", "-", ".", " "}) {
        glued_.push_back(std::string(first).append(between).append(SecondOf(pair)));
        triggers.Add(glued_.back(), TriggerKind::kName);
      }
      parts_of_names.Add(first, TriggerKind::kName);
    }
  }
}

void Rules::AddShapes(const Lists& lists) {
  for (std::string_view item : lists.at("token")) {
    const size_t least = static_cast<size_t>(std::atoi(TakeField(&item).data()));
    const char alphabet = TakeField(&item).front();
    triggers.Add(item, TriggerKind::kToken, tokens.size());
    tokens.push_back({item, alphabet, least});
  }
  for (const std::string_view webhook : lists.at("webhook")) triggers.Add(webhook, TriggerKind::kWebhook);
  const std::pair<std::string_view, CallForm> calls[] = {{"function", CallForm::kSql},
                                                         {"call", CallForm::kQuoted},
                                                         {"literal-call", CallForm::kLiteral},
                                                         {"statement", CallForm::kStatement}};
  for (const auto& [section, form] : calls) {
    for (std::string_view item : lists.at(section)) {
      const std::string_view arguments = TakeField(&item);
      triggers.Add(item, TriggerKind::kFunction, functions.size());
      functions.push_back({item, arguments, form});
    }
  }
  AddCommands(lists);
  triggers.Add("://", TriggerKind::kUrl);
  for (const char* driver : {"thin:", "oracle:oci:", "oracle:oci8:", "oracle:kprb:"})
    triggers.Add(driver, TriggerKind::kOracle);
  for (const char* begin : {"-----begin", "---- begin", "putty-user-key-file"}) {
    triggers.Add(begin, TriggerKind::kPrivateKey);
  }
  triggers.Add("bearer", TriggerKind::kScheme);
  triggers.Add("basic", TriggerKind::kScheme);
  triggers.Add("eyj", TriggerKind::kScheme);
  triggers.Add("identified by", TriggerKind::kIdentifiedBy);
  triggers.Add("identified with", TriggerKind::kIdentifiedBy);
  for (const char* port : {":5432:", ":5433:", ":5439:", ":6432:", ":*:", "pgpass"})
    triggers.Add(port, TriggerKind::kPasswordFile);
  for (const char* data : {"data:", "data\":", "data\\\":"}) triggers.Add(data, TriggerKind::kData);
  for (const char* value : {"value:", "value\":", "value\" :", "value :", "value\\\":"})
    triggers.Add(value, TriggerKind::kValueBeforeName);
}

void Rules::AddCommands(const Lists& lists) {
  for (const std::string_view item : lists.at("command")) {
    commands.push_back(CommandOf(item));
    triggers.Add(commands.back().command, TriggerKind::kCommand);
  }
  for (std::string_view item : lists.at("positional")) {  // "htpasswd:b:3"; "-" represents a space
    const size_t number = static_cast<size_t>(std::atoi(TakeField(&item).data()));
    const std::string_view letters = TakeField(&item);
    std::string command(item);
    std::replace(command.begin(), command.end(), '-', ' ');
    positions.push_back({std::move(command), letters, number});
  }
  for (const PositionalRule& rule : positions) triggers.Add(rule.command, TriggerKind::kPositional);
  for (std::string_view item : lists.at("reader")) {
    const std::string_view option = TakeField(&item);
    readers.push_back({item, option});
  }
  for (const char* writer : {"echo ", "printf "}) triggers.Add(writer, TriggerKind::kPipe);
  triggers.Add("<<", TriggerKind::kHereString);
}

}  // namespace sparkprof::redaction
