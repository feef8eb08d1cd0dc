// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "remote_recordings.h"
#include "server_options.h"

namespace sparkprof {

// Copies the recording of the run's application from the collector that it was sent to into the folder `target`, and
// returns the address of its page. Requires a token that may read.
Result<std::string> FetchFromServer(const CollectorOptions& options, const RemoteRecording& remote,
                                    const std::string& target);

}  // namespace sparkprof
