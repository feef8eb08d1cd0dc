// SPDX-License-Identifier: Apache-2.0
#include "base/redaction/redaction_stream.h"

#include <algorithm>
#include <vector>

#include "base/redaction/characters.h"
#include "base/redaction/private_key.h"
#include "base/redaction/redaction.h"
#include "base/redaction/rules.h"
#include "base/redaction/secret_search.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxNameOfNextLine = 300;     // maximum size of a line with the name of the next line's value
constexpr size_t kMaxValueOfNextLine = 16384;  // maximum size of a text with the value

std::string_view LastLine(std::string_view text) {
  while (!text.empty() && redaction::IsSpace(text.back())) text.remove_suffix(1);
  const size_t begin = std::max(text.rfind('\n') + 1, text.size() - std::min(text.size(), kMaxNameOfNextLine));
  return text.substr(begin);
}

// Whether a line may end with a name whose value is on the next line: "password:", "<name>password</name>", "- name:
// PASSWORD".
bool MayEndWithName(std::string_view line) {
  if (line.size() < 3) return false;
  const bool is_open = redaction::IsOneOf(line.back(), ":=>,");
  if (!is_open && line.find("name") == std::string_view::npos) return false;
  return redaction::Rules::Get().parts_of_names.IsIn(line);
}

}  // namespace

class RedactionStream::Impl {
 public:
  std::optional<std::string> Add(std::string_view text) {
    secrets_.clear();
    if (!name_.empty()) AddValue(text);
    if (keys_.IsOpen() || redaction::MayHavePrivateKey(text)) keys_.AddText(text, &secrets_);
    const std::string_view line = LastLine(text);
    name_.assign(MayEndWithName(line) ? line : std::string_view());
    if (secrets_.empty()) return std::nullopt;
    return Redacted(text);
  }

 private:
  // Adds the part of a value in this text whose name is in the previous one.
  void AddValue(std::string_view text) {
    const size_t begin = name_.size() + 1;
    name_.append("\n").append(text.substr(0, kMaxValueOfNextLine));
    for (const redaction::Range& secret : redaction::FindSecrets(name_)) {
      if (secret.end > begin && secret.begin < begin + text.size()) {
        secrets_.push_back({std::max(secret.begin, begin) - begin, secret.end - begin});
      }
    }
  }

  std::string Redacted(std::string_view text) {
    std::sort(secrets_.begin(), secrets_.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    std::string redacted;
    size_t copied = 0;
    for (const redaction::Range& secret : secrets_) {
      if (secret.end <= copied) continue;
      if (secret.begin >= copied) redacted.append(text.substr(copied, secret.begin - copied)).append(kRedacted);
      copied = secret.end;
    }
    return redacted.append(text.substr(copied));
  }

  redaction::PrivateKeyLines keys_;
  std::string name_;  // end of the last text, if the next one may start with a value
  std::vector<redaction::Range> secrets_;
};

RedactionStream::RedactionStream() : impl_(std::make_unique<Impl>()) {}
RedactionStream::~RedactionStream() = default;
RedactionStream::RedactionStream(RedactionStream&&) noexcept = default;
RedactionStream& RedactionStream::operator=(RedactionStream&&) noexcept = default;

std::optional<std::string> RedactionStream::Add(std::string_view text) { return impl_->Add(text); }
void RedactionStream::Reset() { *impl_ = {}; }

}  // namespace sparkprof
