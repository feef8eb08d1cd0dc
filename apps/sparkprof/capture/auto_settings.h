// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "launch/job_settings.h"
#include "launch/submit_command.h"

namespace sparkprof {

// Adds the settings that fit the job's last runs to the request, and prints the decision with its reason
// (docs/auto.md). `is_asked`: by --auto; the job's own setting `auto`, or the collector's configuration of its group,
// may ask for it, too, and auto=off in the job wins. Fails for wrong usage. Any other problem is printed, and the job
// keeps its own settings.
Result<void> AddAutoSettings(const JobSettings& settings, bool is_asked, SubmitRequest* request);

}  // namespace sparkprof
