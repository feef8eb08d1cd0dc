// SPDX-License-Identifier: Apache-2.0
#include "input_options.h"

#include <fmt/format.h>

#include <functional>
#include <optional>

#include "base/quantity.h"
#include "number_checks.h"

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

void InputOptions::AddLimitsTo(CLI::App& command) {
  command.add_option("--max-files", limits_.max_files, "Files looked at, those inside archives included")
      ->check(AtLeast(1))
      ->capture_default_str()
      ->group(kGroup);
  AddSize(command, "--max-expanded", "What one compressed file may expand to (1t)",
          [this](int64_t bytes) { limits_.expansion.max_bytes = bytes; });
  command
      .add_option("--max-ratio", limits_.expansion.max_ratio, "How many times its size a compressed file may expand to")
      ->check(AtLeast(1))
      ->capture_default_str()
      ->group(kGroup);
  command.add_option("--max-layers", limits_.expansion.max_layers, "Compressed within compressed")
      ->check(AtLeast(1))
      ->capture_default_str()
      ->group(kGroup);
  AddSize(command, "--max-line", "A longer line is left out (64m)",
          [this](int64_t bytes) { event_log_.lines.max_line_bytes = static_cast<size_t>(bytes); });
}

void InputOptions::AddThreadsTo(CLI::App& command) {
  command.add_option("--threads", event_log_.threads, "Files read at a time; 0 = as many as the machine has cores")
      ->check(AtLeast(0))
      ->capture_default_str();
}

void InputOptions::AddZoneTo(CLI::App& command) {
  command
      .add_option("--zone", zone_,
                  "Of times in text logs that do not say theirs: UTC, +02:00 or Europe/Berlin. Otherwise it is worked "
                  "out where something else of the application has exact times, and UTC where nothing has")
      ->type_name("ZONE");
}

Result<std::optional<LogZone>> InputOptions::Zone() const {
  if (zone_.empty()) return std::nullopt;
  const Result<LogZone> zone = LogZone::Parse(zone_);
  if (!zone) return Fail("--zone: " + zone.error().message);
  return *zone;
}

}  // namespace sparkprof
