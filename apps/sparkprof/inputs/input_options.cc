// SPDX-License-Identifier: Apache-2.0
#include "inputs/input_options.h"

#include <functional>
#include <optional>

#include "base/text/quantity.h"
#include "number_checks.h"
#include "verb.h"

namespace sparkprof {

namespace {

constexpr const char* kGroup = "Limits";

void AddSize(CLI::App& command, const std::string& name, const std::string& purpose,
             const std::function<void(int64_t)>& set) {
  command
      .add_option_function<std::string>(
          name,
          [name, set](const std::string& text) {
            const Result<int64_t> bytes = ParseBytes(text);
            if (!bytes) throw CLI::ValidationError(Refusal(name, text, bytes.error()));
            if (*bytes == 0) throw CLI::ValidationError(name, "must be greater than 0");
            set(*bytes);
          },
          purpose)
      ->type_name("SIZE")
      ->group(kGroup);
}

}  // namespace

void AddWindowTo(CLI::App& command, EventLogWindow* window) {
  const std::string name = "--recent";
  command
      .add_option_function<std::string>(
          name,
          [window, name](const std::string& text) {
            const Result<int64_t> ns = ParseDuration(text);
            if (!ns) throw CLI::ValidationError(Refusal(name, text, ns.error()));
            if (*ns == 0) throw CLI::ValidationError(name, "must be greater than 0");
            window->recent_ns = *ns;
          },
          "Read only the end of event logs: what is less than this before the last event, such as 6h")
      ->type_name("TIME");
}

void InputOptions::AddTo(CLI::App& command) {
  AddZoneTo(command);
  AddWindowTo(command, &event_log_.window);
  AddThreadsTo(command);
  AddLimitsTo(command);
}

void InputOptions::AddLimitsTo(CLI::App& command) {
  AddOption(command, "--max-files NUMBER", &limits_.max_files, "Maximum number of files, including those in archives")
      ->check(AtLeast(1))
      ->capture_default_str()
      ->group(kGroup);
  AddSize(command, "--max-expanded", "Maximum expanded size of a compressed file (1t)",
          [this](int64_t bytes) { limits_.expansion.max_bytes = bytes; });
  AddOption(command, "--max-ratio NUMBER", &limits_.expansion.max_ratio, "Maximum compression ratio of a file")
      ->check(AtLeast(1))
      ->capture_default_str()
      ->group(kGroup);
  AddOption(command, "--max-layers NUMBER", &limits_.expansion.max_layers, "Maximum depth of nested compression")
      ->check(AtLeast(1))
      ->capture_default_str()
      ->group(kGroup);
  AddSize(command, "--max-line", "Maximum length of a line; longer lines are truncated or skipped (64m)",
          [this](int64_t bytes) { event_log_.lines.max_line_bytes = static_cast<size_t>(bytes); });
}

void InputOptions::AddThreadsTo(CLI::App& command) {
  AddOption(command, "--parallel NUMBER", &event_log_.threads, "Files read in parallel; 0 = one per core")
      ->check(AtLeast(0))
      ->capture_default_str()
      ->group(kGroup);
}

void InputOptions::AddZoneTo(CLI::App& command) {
  AddOption(command, "--zone ZONE", &zone_,
            "Time zone of text logs without one; UTC, +02:00 or Europe/Berlin (default: derived from other "
            "inputs of the application, else UTC)");
}

Result<std::optional<LogZone>> InputOptions::Zone() const {
  if (zone_.empty()) return std::nullopt;
  const Result<LogZone> zone = LogZone::Parse(zone_);
  if (!zone) return Fail("--zone: " + zone.error().message);
  return *zone;
}

}  // namespace sparkprof
