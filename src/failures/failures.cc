// SPDX-License-Identifier: Apache-2.0
#include "failures/failures.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <compare>
#include <unordered_map>
#include <utility>

#include "base/text/text.h"
#include "failures/phrase_index.h"

namespace sparkprof {
namespace {

constexpr std::pair<std::string_view, ClusterManager> kManagers[] = {{"yarn", ClusterManager::kYarn},
                                                                     {"kubernetes", ClusterManager::kKubernetes},
                                                                     {"standalone", ClusterManager::kStandalone}};

constexpr std::string_view kExcuse = "excuse";  // harmless, and wins over every other row

constexpr std::pair<std::string_view, FailureRank> kRanks[] = {
    {kExcuse, FailureRank::kHarmless},   {"harmless", FailureRank::kHarmless}, {"warning", FailureRank::kWarning},
    {"wrapper", FailureRank::kWrapper},  {"effect", FailureRank::kEffect},     {"cause", FailureRank::kCause},
    {"decisive", FailureRank::kDecisive}};

// Texts before an exit code: "Exit status: 137", "exited with exit code 137(".
constexpr std::string_view kBeforeExit[] = {"xit code",         "xit status",       "exitCode",
                                            "ExitCode",         "exited with code", "xit value",
                                            "exiting with ret", "rror code is",     "eturn code"};
constexpr std::string_view kBeforeCondition[] = {"\"errorClass\"", "\"condition\""};

// Words that only one cluster manager writes.
constexpr std::pair<std::string_view, ClusterManager> kManagerWords[] = {
    {"Command exited", ClusterManager::kStandalone},
    {"container_", ClusterManager::kYarn},
    {"appattempt_", ClusterManager::kYarn},
    {"YARN", ClusterManager::kYarn},
    {"Final app status", ClusterManager::kYarn},
    {"Container killed", ClusterManager::kYarn},
    {"The executor with id", ClusterManager::kKubernetes},
    {"The API gave", ClusterManager::kKubernetes},
    {"pod", ClusterManager::kKubernetes}};

// Texts before a reason: "brief reason: Evicted".
constexpr std::string_view kBeforeReason[] = {"reason", "state", "status", "code", "condition", "disruption"};
constexpr size_t kMaxBeforeReason = 24;

template <typename Value, size_t kCount>
Value ValueOf(const std::pair<std::string_view, Value> (&table)[kCount], std::string_view name, Value other) {
  for (const auto& [key, value] : table) {
    if (key == name) return value;
  }
  return other;
}

// The signs of all failures, indexed by how they are found.
class Signs {
 public:
  Signs();

  const std::vector<Failure>& Failures() const { return failures_; }
  const Failure* OfExit(int64_t code, ClusterManager manager) const;
  std::optional<FailureMatch> Find(std::string_view text, ClusterManager manager,
                                   std::span<const std::string_view> around) const;

 private:
  enum class PhraseKind : uint8_t { kMessage, kRoot, kReason, kExit, kJsonCondition };
  struct Phrase {
    PhraseKind kind;
    uint32_t failure = 0;
    uint32_t message = 0;  // index in messages_
  };
  // A sign in a text.
  struct Place {
    size_t begin = 0;
    size_t end = 0;  // where its words before the first hole end
    size_t letters = 0;
  };
  struct Best {
    FailureMatch match;
    Place place;
    bool is_root = false;
  };
  // A message, and what else the text or what is around it must have.
  struct Message {
    MessageSign sign;
    std::vector<MessageSign> others;
  };
  struct SearchedText {
    std::string_view text;
    ClusterManager manager;
    std::span<const std::string_view> around;
  };

  void AddSign(std::string_view sign);
  void Offer(uint32_t failure, const Place& place, const HoleValues& values, Best* best) const;
  void OfferCondition(std::string_view text, size_t at, std::string_view name, Best* best) const;
  void OfferConditions(std::string_view text, Best* best) const;
  void OfferMessage(const SearchedText& searched, const Phrase& phrase, const Place& place, Best* best) const;
  void OfferPhrase(const SearchedText& searched, const Phrase& phrase, std::string_view words, size_t at,
                   Best* best) const;

  std::vector<Failure> failures_;
  std::vector<Message> messages_;
  std::vector<Phrase> phrases_;
  std::vector<std::string_view> phrase_texts_;
  std::unordered_map<std::string_view, uint32_t> conditions_, states_;  // by name and by class of SQLSTATE
  std::array<std::unordered_map<int64_t, uint32_t>, static_cast<size_t>(ClusterManager::kKubernetes) + 1> exits_;
  PhraseIndex index_;
};

// Splits a list of alternatives, or of parts that "&&" joins.
std::vector<std::string_view> Alternatives(std::string_view text, std::string_view between = " || ") {
  std::vector<std::string_view> parts;
  for (size_t end = text.find(between); end != std::string_view::npos; end = text.find(between)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + between.size());
  }
  parts.push_back(text);
  return parts;
}

bool IsOfCondition(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

// "CAST_INVALID_INPUT" of "[CAST_INVALID_INPUT] The value"; empty if the text does not begin with a condition.
std::string_view ConditionIn(std::string_view text, char close) {
  if (text.empty() || text[0] < 'A' || text[0] > 'Z') return {};
  const size_t size = static_cast<size_t>(std::find_if_not(text.begin(), text.end(), IsOfCondition) - text.begin());
  return size < text.size() && text[size] == close ? text.substr(0, size) : std::string_view();
}

// The class of the first SQLSTATE: "22"; empty if there is none.
std::string_view StateClassIn(std::string_view text) {
  for (const std::string_view before : {"SQLSTATE: ", "\"sqlState\" : \""}) {
    const size_t at = text.find(before);
    if (at != std::string_view::npos) return text.substr(at + before.size(), 2);
  }
  return {};
}

// The integer after an exit phrase; nullopt if there is none, or if it is a time or a decimal number.
std::optional<int64_t> ExitCodeIn(std::string_view text) {
  if (text.starts_with(" is")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" :=('"), text.size()));
  int64_t code = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), code);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  const bool is_decimal = text.size() > 1 && text[0] == '.' && text[1] >= '0' && text[1] <= '9';
  return is_decimal || text.starts_with(" ms") || text.starts_with("ms") ? std::nullopt : std::optional(code);
}

ClusterManager ManagerByWords(std::string_view text) {
  for (const auto& [words, manager] : kManagerWords) {
    if (text.find(words) != std::string_view::npos) return manager;
  }
  return ClusterManager::kUnknown;
}

// True if the text consists of the word, or the word follows the introduction of a reason.
bool IsReason(std::string_view text, size_t at, std::string_view word) {
  if (IsPartOfWord(text, at, at + word.size())) return false;
  if (Trim(text) == word) return true;
  std::string_view before = text.substr(0, at);
  if (before.size() > kMaxBeforeReason) before.remove_prefix(before.size() - kMaxBeforeReason);
  before = before.substr(0, before.find_last_not_of(" \t:=(\"'") + 1);
  return std::any_of(std::begin(kBeforeReason), std::end(kBeforeReason), [&](std::string_view label) {
    if (before.size() < label.size()) return false;
    const std::string_view end = before.substr(before.size() - label.size());
    return end.substr(1) == label.substr(1) && (end[0] | ' ') == label[0];
  });
}

// True if the exception at this place is the first cause of a trace: its last "Caused by", or the only exception.
bool IsRoot(std::string_view text, size_t at) {
  const std::string_view before = text.substr(0, at);
  const bool is_exception = before.empty() || before.ends_with('\n') || before.ends_with(": ");
  return is_exception && text.find("Caused by: ", at) == std::string_view::npos;
}

// Tests read all tables, so a malformed line fails the build.
Signs::Signs() : index_({}) {
  for (const std::string_view line : Split(kFailureTables, '\n')) {
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string_view> fields = Split(line, '\t');
    if (fields.size() < 9) continue;
    failures_.push_back({.id = fields[0],
                         .rank = ValueOf(kRanks, fields[1], FailureRank::kCause),
                         .holds = fields[2],
                         .means = fields[4].substr(fields[4].rfind('|') + 1),
                         .sentence = fields[4],
                         .remedy = Alternatives(fields[5]),
                         .why = fields[6],
                         .check = fields[7],
                         .excuses = fields[1] == kExcuse,
                         .names_kind = fields.size() > 9 && fields[9] == "kind"});
    for (const std::string_view sign : Alternatives(fields[3])) AddSign(sign);
  }
  for (const std::string_view before : kBeforeExit) {
    phrases_.push_back({PhraseKind::kExit});
    phrase_texts_.push_back(before);
  }
  for (const std::string_view before : kBeforeCondition) {
    phrases_.push_back({PhraseKind::kJsonCondition});
    phrase_texts_.push_back(before);
  }
  index_ = PhraseIndex(phrase_texts_);
}

void Signs::AddSign(std::string_view sign) {
  const auto failure = static_cast<uint32_t>(failures_.size() - 1);
  const std::vector<std::string_view> words = Split(sign, ' ');
  if (sign.starts_with('[') && ConditionIn(sign.substr(1), ']').size() + 2 == sign.size()) {
    conditions_.emplace(sign.substr(1, sign.size() - 2), failure);
  } else if (words.size() == 2 && words[0] == "sqlstate") {
    states_.emplace(words[1], failure);
  } else if (words.size() == 2 && words[0] == "reason") {
    phrases_.push_back({PhraseKind::kReason, failure});
    phrase_texts_.push_back(words[1]);
  } else if (words[0] == "root") {
    phrases_.push_back({PhraseKind::kRoot, failure});
    phrase_texts_.push_back(sign.substr(words[0].size() + 1));
  } else if (const auto code = words.size() > 1 && words[0] == "exit" ? ParseInteger(words[1]) : std::nullopt) {
    const ClusterManager manager =
        words.size() == 4 ? ValueOf(kManagers, words[3], ClusterManager::kUnknown) : ClusterManager::kUnknown;
    exits_[static_cast<size_t>(manager)].emplace(*code, failure);
  } else {
    const std::vector<std::string_view> parts = Alternatives(sign, " && ");
    Message& message = messages_.emplace_back(Message{MessageSign(parts.front()), {}});
    for (size_t part = 1; part < parts.size(); ++part) message.others.emplace_back(parts[part]);
    phrases_.push_back({PhraseKind::kMessage, failure, static_cast<uint32_t>(messages_.size() - 1)});
    phrase_texts_.push_back(message.sign.Begin());
  }
}

const Failure* Signs::OfExit(int64_t code, ClusterManager manager) const {
  constexpr int64_t kMaxSignal = 31, kSignals = 128;
  for (const ClusterManager one : {manager, ClusterManager::kUnknown}) {
    const auto& exits = exits_[static_cast<size_t>(one)];
    const auto found = exits.find(code);
    if (found != exits.end()) return &failures_[found->second];
  }
  return code <= -2 && code >= -kMaxSignal ? OfExit(kSignals - code, manager) : nullptr;
}

int PrecedenceOf(const Failure& failure) {
  return failure.excuses ? static_cast<int>(FailureRank::kDecisive) + 1 : static_cast<int>(failure.rank);
}

void Signs::Offer(uint32_t failure, const Place& place, const HoleValues& values, Best* best) const {
  const Failure* const offered = &failures_[failure];
  const FailureMatch& match = best->match;
  if (best->is_root) return;
  if (match.failure != nullptr) {
    // A sign inside the words of another one says less: "ClassNotFoundException" in "java.lang.ClassNotFoundException:
    // org.apache.kafka.".
    const Place& other = best->place;
    const auto has_more = [](const Place& whole, const Place& part) {
      return whole.begin < part.begin && part.begin + part.letters < whole.end;
    };
    const bool is_behind = place.begin > other.begin || (place.begin == other.begin && place.letters > other.letters);
    const bool is_later = has_more(place, other) || (is_behind && !has_more(other, place));
    // Prefers, among the signs of one failure, the one with the numbers that its remedy needs.
    const auto order = offered == match.failure ? values.Size() <=> match.values.Size()
                                                : PrecedenceOf(*offered) <=> PrecedenceOf(*match.failure);
    if (std::is_lt(order) || (std::is_eq(order) && !is_later)) return;
  }
  *best = {{offered, place.begin, values}, place, false};
}

// Looks the condition up by its name, that of its parent, or its SQLSTATE.
void Signs::OfferCondition(std::string_view text, size_t at, std::string_view name, Best* best) const {
  if (name.empty()) return;
  for (std::string_view known = name; !known.empty();) {
    const auto found = conditions_.find(known);
    if (found != conditions_.end()) return Offer(found->second, {at, at + name.size(), known.size()}, {}, best);
    const size_t sub = known.rfind('.');
    known = known.substr(0, sub == std::string_view::npos ? 0 : sub);
  }
  const auto found = states_.find(StateClassIn(text.substr(at)));
  if (found != states_.end()) Offer(found->second, {at, at + name.size(), 0}, {}, best);
}

void Signs::OfferConditions(std::string_view text, Best* best) const {
  for (size_t at = text.find('['); at != std::string_view::npos; at = text.find('[', at + 1)) {
    OfferCondition(text, at, ConditionIn(text.substr(at + 1), ']'), best);
  }
}

// True if the exception's class belongs to a method of a stack trace: "at a.b.ValidationException.check(".
bool IsFrame(std::string_view text, std::string_view words, size_t end) {
  if (!words.ends_with("Exception") && !words.ends_with("Error")) return false;
  const std::string_view behind = text.substr(end);
  return behind.size() > 1 && behind[0] == '.' && ((behind[1] >= 'a' && behind[1] <= 'z') || behind[1] == '<');
}

void Signs::OfferMessage(const SearchedText& searched, const Phrase& phrase, const Place& place, Best* best) const {
  HoleValues values;
  const auto& [sign, others] = messages_[phrase.message];
  if (!sign.Match(searched.text, place.begin, &values)) return;
  size_t letters = sign.LiteralSize();
  for (const MessageSign& other : others) {
    letters += other.LiteralSize();
    const bool is_found = other.Search(searched.text, &values) ||
                          std::any_of(searched.around.begin(), searched.around.end(),
                                      [&](std::string_view text) { return other.Search(text, &values); });
    if (!is_found) return;
  }
  Offer(phrase.failure, {place.begin, place.end, letters}, values, best);
}

void Signs::OfferPhrase(const SearchedText& searched, const Phrase& phrase, std::string_view words, size_t at,
                        Best* best) const {
  const std::string_view text = searched.text;
  const size_t end = at + words.size();
  switch (phrase.kind) {
    case PhraseKind::kMessage:
      if (!IsFrame(text, words, end)) OfferMessage(searched, phrase, {at, end, 0}, best);
      return;
    case PhraseKind::kRoot:
      if (IsRoot(text, at)) *best = {{&failures_[phrase.failure], at, {}}, {at, end, words.size()}, true};
      return;
    case PhraseKind::kReason:
      if (IsReason(text, at, words)) Offer(phrase.failure, {at, end, words.size()}, {}, best);
      return;
    case PhraseKind::kExit: {
      const std::optional<int64_t> code = ExitCodeIn(text.substr(end));
      if (!code) return;
      const ClusterManager of_code =
          searched.manager == ClusterManager::kUnknown ? ManagerByWords(text) : searched.manager;
      const Failure* const failure = OfExit(*code, of_code);
      // Offered after texts that begin before the code: "Command exited with code 51".
      if (failure != nullptr) Offer(static_cast<uint32_t>(failure - failures_.data()), {end, end, 0}, {}, best);
      return;
    }
    case PhraseKind::kJsonCondition: {
      std::string_view rest = text.substr(end);
      rest.remove_prefix(std::min(rest.find_first_not_of(" :\""), rest.size()));
      OfferCondition(text, at, ConditionIn(rest, '"'), best);
      return;
    }
  }
}

std::optional<FailureMatch> Signs::Find(std::string_view text, ClusterManager manager,
                                        std::span<const std::string_view> around) const {
  Best best;
  const SearchedText searched{text, manager, around};
  index_.Search(text, [&](uint32_t phrase, size_t at) {
    OfferPhrase(searched, phrases_[phrase], phrase_texts_[phrase], at, &best);
  });
  OfferConditions(text, &best);
  return best.match.failure == nullptr ? std::nullopt : std::optional(best.match);
}

const Signs& AllSigns() {
  static const Signs signs;
  return signs;
}

}  // namespace

ClusterManager ManagerOfMaster(std::string_view master) {
  if (master == "local" || master.starts_with("local[")) return ClusterManager::kLocal;
  if (master.starts_with("yarn")) return ClusterManager::kYarn;
  if (master.starts_with("k8s://")) return ClusterManager::kKubernetes;
  return master.starts_with("spark://") ? ClusterManager::kStandalone : ClusterManager::kUnknown;
}

const std::vector<Failure>& Failures() { return AllSigns().Failures(); }

std::optional<FailureMatch> FindFailure(std::string_view text, ClusterManager manager,
                                        std::span<const std::string_view> around) {
  return AllSigns().Find(text, manager, around);
}

const Failure* FailureOfExit(int64_t code, ClusterManager manager) { return AllSigns().OfExit(code, manager); }

}  // namespace sparkprof
