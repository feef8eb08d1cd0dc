// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "launch/remote_attach.h"
#include "launch/submit_command.h"

namespace sparkprof {

// Whether the job's driver runs in a pod.
bool HasDriverPod(const SubmitRequest& request);

// Step that prints how the driver's pod of this application ended: "OOMKilled, exit code 137". Prints nothing if the
// pod is gone.
RemoteStep PrintDriverPodExit(const SubmitRequest& request, const std::string& application);

}  // namespace sparkprof
