// SPDX-License-Identifier: Apache-2.0
#include "analysis/machines/losses.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

struct LossText {
  std::string_view what;
  std::string_view words;
};

// Losses measured in time or bytes need a description; other names are readable.
constexpr auto kTexts = std::to_array<LossText>({
    {"profiling_ms", "profiling"},
    {"series_ms", "process metrics"},
    {"spool_bytes", "the recording"},
    {"chunk_bytes", "JVM samples"},
    {"forwarded_bytes", "uploaded recordings"},
    {"python_ring_bytes", "Python samples"},
});

// Formats "task_records" as "task records", "python_samples" as "Python samples", and one of "executors" as "executor".
std::string WordsOf(std::string_view what, bool one) {
  std::string words(what);
  std::ranges::replace(words, '_', ' ');
  for (const auto& [plain, name] :
       {std::pair("python", "Python"), std::pair("spark", "Spark"), std::pair("cpu", "CPU"), std::pair("jvm", "JVM")}) {
    if (words.starts_with(plain)) words.replace(0, std::string_view(plain).size(), name);
  }
  if (one && words.ends_with("ies")) {
    words.replace(words.size() - 3, 3, "y");
  } else if (one && words.ends_with('s')) {
    words.pop_back();
  }
  return words;
}

std::string LossInWords(const Loss& loss) {
  const auto known = std::ranges::find_if(kTexts, [&](const LossText& text) { return text.what == loss.what; });
  std::string text;
  if (known == kTexts.end()) {
    text = fmt::format("{} {}", loss.count, WordsOf(loss.what, loss.count == 1));
  } else if (loss.what.ends_with("_ms")) {
    const int64_t longest = INT64_MAX / kNanosPerMilli;
    text = fmt::format("{} of {}", FormatDuration(std::min(loss.count, longest) * kNanosPerMilli), known->words);
  } else {
    text = fmt::format("{} of {}", FormatBytes(loss.count), known->words);
  }
  return loss.reason.empty() ? text : fmt::format("{} ({})", text, loss.reason);
}

}  // namespace

// The verdict and a notice name what an excerpt of logs lacks.
std::string LossesInWords(const Application& application) {
  std::vector<std::string> texts;
  for (const Loss& loss : application.losses) {
    if (loss.count > 0 && loss.what != kExcerptLoss) texts.push_back(LossInWords(loss));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace sparkprof
