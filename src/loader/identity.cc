// SPDX-License-Identifier: Apache-2.0
#include "loader/identity.h"

#include <array>
#include <cctype>
#include <optional>

#include "base/text/characters.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr size_t kLookedAt = size_t{256} << 10;  // Spark logs its ID within the first lines, at any log level

bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f'); }
bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; }

// Number of characters from `position` on that satisfy `is`.
template <typename Is>
size_t Run(std::string_view text, size_t position, Is is) {
  size_t end = position;
  while (end < text.size() && is(text[end])) ++end;
  return end - position;
}

// End of two numbers with a separator; 0 = no match.
size_t TwoNumbers(std::string_view text, size_t begin, char separator, size_t least_first, size_t least_second) {
  const size_t first = Run(text, begin, IsDigit);
  const size_t middle = begin + first;
  if (first < least_first || middle >= text.size() || text[middle] != separator) return 0;
  const size_t second = Run(text, middle + 1, IsDigit);
  return second < least_second ? 0 : middle + 1 + second;
}

// End of an ID whose prefix ends at `begin`; 0 = not an ID.
size_t EndOfId(std::string_view prefix, std::string_view text, size_t begin) {
  constexpr size_t kMillisDigits = 13, kDateDigits = 14, kHexDigits = 32;
  if (prefix == "application_") return TwoNumbers(text, begin, '_', kMillisDigits - 3, 4);
  if (prefix == "app-") return TwoNumbers(text, begin, '-', kDateDigits, 4);
  const bool is_local = prefix == "local-";
  const size_t size = is_local ? Run(text, begin, IsDigit) : Run(text, begin, IsHex);
  return size == (is_local ? kMillisDigits : kHexDigits) ? begin + size : 0;
}

// "etl-1f2e" for the pods "etl-1f2e-driver" and "etl-1f2e-exec-3".
std::string_view JobOfPod(std::string_view pod) {
  constexpr std::string_view kDriver = "-driver";
  if (pod.ends_with(kDriver)) return pod.substr(0, pod.size() - kDriver.size());
  const size_t executor = pod.rfind("-exec-");
  return executor == std::string_view::npos ? std::string_view() : pod.substr(0, executor);
}

std::string HomeOf(const Input& input) {
  if (const std::string_view job = JobOfPod(input.container); !job.empty()) return "pod " + std::string(job);
  // Databricks: CLUSTER/driver/FILE, CLUSTER/executor/app-…/N/FILE, CLUSTER/eventlog/…
  const std::string_view path = input.path;
  for (const std::string_view folder : {"/driver/", "/executor/", "/eventlog/"}) {
    const size_t found = path.rfind(folder);
    if (found == std::string_view::npos) continue;
    const std::string_view rest = path.substr(found + folder.size());
    const bool is_there = folder == "/driver/" ? rest.find('/') == std::string_view::npos
                                               : folder == "/eventlog/" || rest.starts_with("app-");
    if (is_there) return "folder " + std::string(path.substr(0, found));
  }
  return {};
}

bool SaysItIsADriver(std::string_view head) {
  return head.find("Running Spark version") != std::string_view::npos ||
         head.find("Submitted application") != std::string_view::npos;
}

}  // namespace

std::string_view FindApplicationId(std::string_view text) {
  constexpr std::array<std::string_view, 4> kPrefixes = {"application_", "app-", "local-", "spark-"};
  std::string_view first;
  size_t first_at = text.size();
  for (const std::string_view prefix : kPrefixes) {
    for (size_t at = text.find(prefix); at < first_at; at = text.find(prefix, at + 1)) {
      if (at > 0 && IsWord(text[at - 1]) && prefix != "application_") continue;
      const size_t end = EndOfId(prefix, text, at + prefix.size());
      if (end == 0) continue;
      first = text.substr(at, end - at);
      first_at = at;
      break;
    }
  }
  return first;
}

std::string AttemptOfContainer(std::string_view container) {
  if (!container.starts_with("container_")) return {};
  const std::vector<std::string_view> parts = Split(container, '_');
  if (parts.size() < 5) return {};
  const std::optional<int64_t> attempt = ParseInteger(parts[parts.size() - 2]);
  return attempt ? std::to_string(*attempt) : std::string();
}

InputIdentity IdentityOf(const Input& input) {
  InputIdentity identity{input.application_id, input.attempt, HomeOf(input), false};
  if (identity.attempt.empty()) identity.attempt = AttemptOfContainer(input.container);
  if (!identity.application_id.empty() || input.kind == InputKind::kEventLog) return identity;
  const Result<std::unique_ptr<ByteSource>> source = input.Open();
  if (!source) return identity;  // the reader reports the error
  std::optional<Error> error;
  const std::string head = ReadUpTo(source->get(), kLookedAt, &error);
  identity.application_id = FindApplicationId(head);
  identity.is_driver = SaysItIsADriver(head);
  return identity;
}

}  // namespace sparkprof
