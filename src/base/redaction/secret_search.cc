// SPDX-License-Identifier: Apache-2.0
#include "base/redaction/secret_search.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/redaction/assignment.h"
#include "base/redaction/decoded_text.h"
#include "base/redaction/private_key.h"
#include "base/redaction/rules.h"

namespace sparkprof::redaction {
namespace {

// Scans a text once, and passes each literal of the rules to the form that it may start.
class Search {
 public:
  explicit Search(std::string_view text) { scan_.text = text; }

  // The positions of the secrets, ascending.
  std::vector<Range> Run() {
    const TriggerIndex& triggers = Rules::Get().triggers;
    const std::string_view text = scan_.text;
    uint32_t hash = text.size() > 1 ? TriggerIndex::Hash(TriggerIndex::Hash(0, text[0]), text[1]) : 0;
    size_t hashed = 2;  // number of bytes in `hash`
    size_t at = 0;
    while (at + 2 < text.size()) {
      if (hashed != at + 2) {
        hash = TriggerIndex::Hash(TriggerIndex::Hash(0, text[at]), text[at + 1]);
        hashed = at + 2;
      }
      hash = TriggerIndex::Hash(hash, text[at + 2]);
      ++hashed;
      if (text[at] == '@' || triggers.MayBegin(hash)) {
        scan_.RedactBefore(at);
        if (scan_.from <= at) at = text[at] == '@' ? RedactUserInfo(&scan_, at) : Stop(at, triggers.Triggers(hash));
        at = std::max(at, scan_.from);
      } else {
        ++at;
      }
    }
    scan_.RedactBefore(text.size());
    return std::move(scan_.secrets);
  }

 private:
  // Tries every literal that may start at `at`. Returns the next position to search.
  size_t Stop(size_t at, const std::vector<Trigger>& triggers) {
    size_t next = at + 1;
    bool is_name = false;
    for (const Trigger& trigger : triggers) {
      if (!trigger.IsAt(scan_.text, at)) continue;
      if (trigger.kind == TriggerKind::kName) {
        is_name = true;
        continue;
      }
      next = std::max(next, StopAt(at, trigger));
      if (scan_.from > at) return next;
    }
    return is_name ? std::max(next, RedactAssignment(&scan_, at)) : next;
  }

  size_t StopAt(size_t at, const Trigger& trigger) {
    const size_t behind = at + trigger.literal.size();
    switch (trigger.kind) {
      case TriggerKind::kName:
        break;
      case TriggerKind::kToken:
        return RedactPrefixed(&scan_, at, Rules::Get().tokens[trigger.row]);
      case TriggerKind::kUrl:
        return RedactUrl(&scan_, at, behind);
      case TriggerKind::kOracle:
        return RedactOracle(&scan_, behind);
      case TriggerKind::kPrivateKey:
        return RedactPrivateKey(&scan_, at);
      case TriggerKind::kScheme:
        return trigger.literal == "eyj" ? RedactWebToken(&scan_, at)
                                        : RedactCredentials(&scan_, at, behind, trigger.literal == "bearer");
      case TriggerKind::kWebhook:
        return RedactWebhook(&scan_, behind);
      case TriggerKind::kCommand:
        return RedactOptions(&scan_, at, trigger.literal);
      case TriggerKind::kFunction:
        return RedactKeyArgument(&scan_, at, Rules::Get().functions[trigger.row]);
      case TriggerKind::kIdentifiedBy:
        return RedactIdentifiedBy(&scan_, at, behind);
      case TriggerKind::kSpelling:
        return RedactSpelled(&scan_, at, Rules::Get().writings[trigger.row]);
      case TriggerKind::kPositional:
        return RedactPositional(&scan_, at, trigger.literal);
      case TriggerKind::kPipe:
        return RedactPiped(&scan_, at, trigger.literal);
      case TriggerKind::kHereString:
        return RedactHereString(&scan_, at);
      case TriggerKind::kPasswordFile:
        return RedactPasswordFile(&scan_, at);
      case TriggerKind::kData:
        return RedactSecretData(&scan_, at);
      case TriggerKind::kValueBeforeName:
        return RedactValueBeforeName(&scan_, at);
    }
    return at + 1;
  }

  ScannedText scan_;
};

}  // namespace

std::vector<Range> FindSecrets(std::string_view text) {
  constexpr int kMaxEncodings = 16;
  std::vector<Range> secrets = Search(text).Run();
  std::optional<DecodedText> decoded = Decode(text);
  for (int depth = 0; decoded; ++depth) {
    if (depth == kMaxEncodings) return {{0, text.size()}};  // further encodings are not decoded: redacts everything
    for (const Range& secret : Search(decoded->text).Run()) {
      secrets.push_back({decoded->origin[secret.begin], decoded->origin[secret.end]});
    }
    std::optional<DecodedText> further = Decode(decoded->text);
    if (further) {
      for (size_t& origin : further->origin) origin = decoded->origin[origin];
    }
    decoded = std::move(further);
  }
  std::sort(secrets.begin(), secrets.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  return secrets;
}

}  // namespace sparkprof::redaction
