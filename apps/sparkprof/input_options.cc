// SPDX-License-Identifier: Apache-2.0
#include "apps/sparkprof/input_options.h"

#include <fmt/format.h>

#include <functional>
#include <optional>

#include "base/text.h"
#include "base/time.h"

namespace sparkprof {

namespace {

constexpr const char* kGroup = "Limits";

void AddSize(CLI::App& command, const std::string& name, const std::string& purpose,
             const std::function<void(int64_t)>& set) {
  command
      .add_option_function<std::string>(
          name,
          [name, set](const std::string& text) {
            const std::optional<int64_t> bytes = ParseBytes(text);
            if (!bytes || *bytes <= 0) throw CLI::ValidationError(name, "expected a size such as 500g");
            set(*bytes);
          },
          purpose)
      ->type_name("SIZE")
      ->group(kGroup);
}

}  // namespace

void InputOptions::AddTo(CLI::App& command) {
  command.add_option("--max-files", limits_.max_files, "Files looked at, those inside archives included")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group(kGroup);
  AddSize(command, "--max-expanded", "What one compressed file may expand to (1t)",
          [this](int64_t bytes) { limits_.expansion.max_bytes = bytes; });
  command
      .add_option("--max-ratio", limits_.expansion.max_ratio, "How many times its size a compressed file may expand to")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group(kGroup);
  command.add_option("--max-layers", limits_.expansion.max_layers, "Compressed within compressed")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group(kGroup);
  AddSize(command, "--max-line", "A longer line is left out (64m)",
          [this](int64_t bytes) { event_log_.lines.max_line_bytes = static_cast<size_t>(bytes); });
  command.add_option("--threads", event_log_.threads, "Files read at a time; 0 = as many as the machine has cores")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
}

Result<int64_t> ParseUtcOffset(const std::string& text) {
  constexpr int64_t kMaxHours = 14;
  if (text == "Z" || text == "UTC") return 0;
  std::string digits = text.empty() ? text : text.substr(1);
  std::erase(digits, ':');
  const bool has_sign = text.starts_with('+') || text.starts_with('-');
  const std::optional<int64_t> number = ParseInteger(digits);
  if (has_sign && number && digits.size() <= 4 && digits.find_first_not_of("0123456789") == std::string::npos) {
    const int64_t hours = digits.size() > 2 ? *number / 100 : *number;
    const int64_t minutes = digits.size() > 2 ? *number % 100 : 0;
    if (hours <= kMaxHours && minutes < 60) {
      return (text[0] == '-' ? -1 : 1) * (hours * 3600 + minutes * 60) * kNanosPerSecond;
    }
  }
  return Fail(fmt::format("--utc-offset: '{}' is no offset from UTC; expected one such as +02:00 or -0330", text));
}

}  // namespace sparkprof
