// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "remote_recordings.h"
#include "server_options.h"

namespace sparkprof {

// Copies the recording of the run's application from its collector into the folder `target`, and returns the URL of its
// page. Requires a token with read access.
Result<std::string> FetchFromServer(const CollectorOptions& options, const RemoteRecording& remote,
                                    const std::string& target);

}  // namespace sparkprof
