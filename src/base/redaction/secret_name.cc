// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/redaction/characters.h"
#include "base/redaction/secrecy.h"

namespace sparkprof::redaction {
namespace {

constexpr size_t kMaxSecretName = 200;

// The words of a name in lower case, stored in place.
struct Words {
  std::array<char, kMaxSecretName + 1> letters;
  std::array<std::string_view, kMaxSecretName> word;
  size_t count = 0;
};

void Split(std::string_view name, Words* words) {
  size_t begin = 0;
  size_t end = 0;
  const auto finish = [&] {
    if (end > begin) words->word[words->count++] = std::string_view(words->letters.data() + begin, end - begin);
    begin = end;
  };
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!IsLetter(c)) {
      finish();
      continue;
    }
    const bool after_lower = i > 0 && IsLower(name[i - 1]);
    const bool before_lower = i > 0 && IsUpper(name[i - 1]) && i + 1 < name.size() && IsLower(name[i + 1]);
    if (IsUpper(c) && (after_lower || before_lower)) finish();
    words->letters[end++] = Lower(c);
  }
  finish();
}

// Stores "first-second" in place; empty without a first word.
class Pair {
 public:
  Pair(std::string_view first, std::string_view second) {
    if (first.empty() || first.size() > kMaxSecretName) return;
    char* end = std::copy(first.begin(), first.end(), both_.data());
    *end++ = '-';
    end = std::copy(second.begin(), second.end(), end);
    size_ = static_cast<size_t>(end - both_.data());
  }
  bool IsOf(const WordSet& set) const { return size_ > 0 && set.contains(Text()); }
  Secrecy SecrecyIn(const Rules& rules) const {
    const auto known = size_ > 0 ? rules.pairs.find(Text()) : rules.pairs.end();
    return known == rules.pairs.end() ? Secrecy::kNone : known->second;
  }

 private:
  std::string_view Text() const { return {both_.data(), size_}; }

  std::array<char, 2 * kMaxSecretName + 1> both_;
  size_t size_ = 0;
};

Secrecy SecrecyOfWord(const Rules& rules, std::string_view word) {
  const auto known = rules.words.find(word);
  if (known != rules.words.end()) return known->second;
  if (!rules.parts_of_names.IsIn(word)) return Secrecy::kNone;
  for (const std::string_view part : rules.inside) {
    if (word.find(part) != std::string_view::npos) return Secrecy::kStrong;
  }
  for (const std::string_view ending : rules.ending) {
    if (!word.ends_with(ending)) continue;
    const auto whole = rules.words.find(ending);
    return whole != rules.words.end() && whole->second == Secrecy::kWeak ? Secrecy::kWeak : Secrecy::kStrong;
  }
  return Secrecy::kNone;
}

// Matches FOO_BAR_KEY.
bool IsVariable(std::string_view name) {
  return name.find('_') != std::string_view::npos && std::none_of(name.begin(), name.end(), IsLower);
}

}  // namespace

Secrecy SecrecyOf(std::string_view name, std::string_view word_before) {
  if (name.size() > kMaxSecretName) {  // checks overlapping parts
    constexpr size_t kOverlap = 50;
    const Secrecy first = SecrecyOf(name.substr(0, kMaxSecretName), word_before);
    return std::max(first, SecrecyOf(name.substr(kMaxSecretName - kOverlap), {}));
  }
  Words words;
  Split(name, &words);
  if (words.count == 0) return Secrecy::kNone;
  const Rules& rules = Rules::Get();
  std::array<char, kMaxSecretName> lower_before;
  if (word_before.size() > kMaxSecretName) word_before = {};
  std::transform(word_before.begin(), word_before.end(), lower_before.begin(), Lower);

  Secrecy secrecy = Secrecy::kNone;
  bool is_environment = false;
  bool is_harmless_pair = false;
  bool is_pair = false;
  std::string_view before(lower_before.data(), word_before.size());
  for (size_t i = 0; i < words.count; ++i) {
    const std::string_view word = words.word[i];
    is_environment = is_environment || word == "env";
    const Pair pair(rules.seconds.contains(word) ? before : std::string_view(), word);
    is_harmless_pair = pair.IsOf(rules.harmless_pairs);
    const Secrecy of_pair = pair.SecrecyIn(rules);
    is_pair = of_pair != Secrecy::kNone;
    if (!is_harmless_pair) secrecy = std::max({secrecy, SecrecyOfWord(rules, word), of_pair});
    before = word;
  }
  if (words.count > 1 && !is_pair && rules.about.contains(before)) return Secrecy::kNone;
  if (secrecy == Secrecy::kNone && before == "key" && !is_harmless_pair) {
    if (is_environment) return Secrecy::kWeak;
    if (IsVariable(name)) return Secrecy::kMaybe;
  }
  return secrecy;
}

bool SparkRedacts(std::string_view name) {
  // One pass: an event log has tens of thousands of names.
  for (size_t at = 0; at < name.size(); ++at) {
    switch (Lower(name[at])) {
      case 's':
        if (HasAt(name, at, "secret")) return true;
        break;
      case 'p':
        if (HasAt(name, at, "password")) return true;
        break;
      case 't':
        if (HasAt(name, at, "token")) return true;
        break;
      case 'a':
        if (HasAt(name, at, "access") && (HasAt(name, at + 6, "key") || HasAt(name, at + 7, "key"))) return true;
        break;
      default:
        break;
    }
  }
  return false;
}

}  // namespace sparkprof::redaction
