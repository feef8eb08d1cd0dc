// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/application.h"

namespace sparkprof {

enum class ApplicationStatus : uint8_t {
  kRunning,
  kFinished,
  kFailed,      // the last job failed
  kIncomplete,  // stopped sending without an end
};
std::string_view StatusName(ApplicationStatus status);  // "running", "finished", "failed", "incomplete"
std::optional<ApplicationStatus> ParseStatus(std::string_view name);

// `is_live`: more data of the application may follow.
ApplicationStatus StatusOf(const Application& application, bool is_live);

// How the application ended, for people: "finished, 1 job failed", "incomplete: no application end event".
std::string OutcomeInWords(const Application& application);

}  // namespace sparkprof
